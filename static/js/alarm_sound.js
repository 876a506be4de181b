/** A sound for alarms that nobody knows of yet: how bad the worst is can be heard. */

const PITCH = 880;
const SECONDS = 0.18;
const TIMES = { critical: 3, high: 2, medium: 1, low: 1 };

/** The worse, the more often. A page that nobody has touched is kept silent by the browser. @param {string} severity */
export function chime(severity) {
  const audio = new AudioContext();
  const times = TIMES[/** @type {keyof typeof TIMES} */ (severity)] ?? 1;
  const tone = new OscillatorNode(audio, { frequency: PITCH });
  const loudness = new GainNode(audio, { gain: 0 });
  tone.connect(loudness).connect(audio.destination);
  for (let nth = 0; nth < times; nth++) {
    const begins = audio.currentTime + 2 * nth * SECONDS;
    loudness.gain.setTargetAtTime(0.25, begins, 0.01);
    loudness.gain.setTargetAtTime(0, begins + SECONDS, 0.03);
  }
  tone.start();
  tone.stop(audio.currentTime + 2 * times * SECONDS + 0.3);
  tone.addEventListener("ended", () => audio.close());
}
