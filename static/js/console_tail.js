/** A query that is followed: its rows as they are, then what changes, a line of JSON each, for as long as somebody reads. */

/** @typedef {{view: string, columns: {name: string, type: string}[], order: import("./table.js").Order[], tick: number, rows: any[][], missing: string[], more: number}} State */
/** @typedef {{tick: number, changes: [number, any[]][], more: number}} Change */
/** @typedef {{state: (state: State) => void, change: (change: Change) => void, missing: (sites: string[]) => void, ended: (why: string, span: Span | null) => void}} Reader */
/** @typedef {{line: number, start: number, end: number}} Span */

const SILENCE = 5000; // milliseconds; the server says something each second

export class Tail {
  /** @param {string} sql @param {number} most rows at most @param {Reader} reader */
  constructor(sql, most, reader) {
    this.reader = reader;
    this.stopping = new AbortController();
    this.isOpen = true;
    this.#follow({ sql, most });
  }

  /** End it; nothing is told after that. */
  stop() {
    this.isOpen = false;
    clearTimeout(this.patience);
    this.stopping.abort();
  }

  async #follow(/** @type {{sql: string, most: number}} */ body) {
    try {
      const how = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: this.stopping.signal };
      const answer = await fetch("/api/query", how);
      if (!answer.ok || !answer.body) {
        const said = await answer.json().catch(() => ({}));
        this.#end(said.error ?? `The server answered ${answer.status}.`, said.span ?? null);
        return;
      }
      await this.#read(answer.body.pipeThrough(new TextDecoderStream()).getReader());
      this.#end("The server ended the query.");
    } catch {
      this.#end("The connection to the server was lost.");
    }
  }

  /** @param {ReadableStreamDefaultReader<string>} texts */
  async #read(texts) {
    for (let rest = ""; ; ) {
      this.#wait();
      const { done, value } = await texts.read();
      if (done || !this.isOpen) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line && this.isOpen) this.#tell(JSON.parse(line));
    }
  }

  #tell(/** @type {any} */ said) {
    if ("error" in said) this.#end(said.error);
    else if ("columns" in said) this.reader.state(said);
    else if ("changes" in said) this.reader.change(said);
    else this.reader.missing(said.missing);
  }

  /** A server that says nothing for long is not there, though nobody closed the connection. */
  #wait() {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => {
      this.#end("The server has said nothing for five seconds.");
    }, SILENCE);
  }

  #end(/** @type {string} */ why, /** @type {Span | null} */ span = null) {
    if (!this.isOpen) return;
    this.stop();
    this.reader.ended(why, span);
  }
}
