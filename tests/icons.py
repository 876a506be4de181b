"""Draws the icons of the installed app from the favicon: python -m tests.icons

An installed app wants PNG of fixed sizes; a maskable one has its drawing inside the safe circle.
"""

from pathlib import Path

from tests.environment import chromium

STATIC = Path(__file__).resolve().parents[1] / "static"
SIZES = {"icon-192": (192, 1.0), "icon-512": (512, 1.0), "maskable-512": (512, 0.7), "touch-180": (180, 0.85)}
GROUND = "#0b6b63"


def main() -> None:
    drawing = (STATIC / "favicon.svg").read_text("utf-8")
    with chromium.launched() as browser:
        for name, (size, share) in SIZES.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            ground = "transparent" if share == 1 else GROUND
            page.set_content(
                f'<body style="margin:0;display:grid;place-items:center;height:100vh;background:{ground}">'
                f'<div style="width:{size * share}px;height:{size * share}px">{drawing}</div>'
            )
            page.screenshot(path=STATIC / "icons" / f"{name}.png", omit_background=True)


if __name__ == "__main__":
    main()
