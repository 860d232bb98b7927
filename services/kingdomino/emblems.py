"""What the picture is made of: colours, and drawings that are defined once and used many times.

A square is 48 wide and its origin is its upper left corner; a king's origin is the middle of its foot. A castle and a
king have no fill of their own where they show their seat: they take that of the `use` that puts them in the picture.
"""

from services.kingdomino.rules.dominoes import Terrain

SQUARE = 48

# Every two of them differ in lightness, which every eye tells apart, and not only in hue.
TERRAIN_COLOURS = {
    Terrain.WHEAT: "#f4d35e",
    Terrain.FOREST: "#1d5840",
    Terrain.LAKE: "#3c8ac4",
    Terrain.GRASS: "#9cc25a",
    Terrain.SWAMP: "#8a5a72",
    Terrain.MINE: "#35302d",
}
# By seat: blue, vermilion, yellow and purple of the palette of Okabe and Ito, which colour-blind eyes tell apart.
SEAT_COLOURS = ("#0072b2", "#d55e00", "#f0e442", "#cc79a7")

BRIGHT = "#f8f0dc"
SOFT = "#e2d5bb"
INK = "#38291b"
FADED = "#6b5640"
GOLD = "#f2c14e"
PAPER = "#f7eeda"

FONT = 'font-family="system-ui, sans-serif"'
BOLD = 'font-weight="600"'
CENTRED = 'text-anchor="middle"'
_LINE = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'
MARK = f'stroke="{GOLD}" stroke-width="3"'
# Where a domino of the line was that has been placed.
GONE = (
    f'<rect x="1" y="1" width="{2 * SQUARE - 2}" height="{SQUARE - 2}" rx="6" fill="none" stroke="{SOFT}"'
    ' stroke-dasharray="5 5" stroke-opacity=".5"/>'
)
_OUTLINE = f'stroke="{INK}" stroke-linejoin="round"'


def emblem(terrain: Terrain) -> str:
    """The id of a terrain's square."""
    return f"kingdomino-{terrain.name.lower()}"


_EAR = "M0 24V2M0 10l-4 -4m4 4l4 -4M0 15l-4 -4m4 4l4 -4M0 5l-3 -4m3 4l3 -4"
_TREE = "M0 -14l7 10h-3l6 10h-8v4h-4v-4h-8l6 -10h-3z"
_WAVE = "q5 -6 10 0t10 0t10 0t10 0"
_TUFT = "m0 0q0 -6 -4 -8m4 8q0 -7 0 -11m0 11q0 -6 4 -8"
_MOTIFS = {
    Terrain.WHEAT: (
        f'<g stroke="#9a6410" stroke-width="2.6" {_LINE}><path transform="translate(24 20)" d="{_EAR}"/>'
        f'<path transform="translate(11 22) rotate(-8)" d="{_EAR}"/>'
        f'<path transform="translate(37 22) rotate(8)" d="{_EAR}"/></g>'
    ),
    Terrain.FOREST: (
        f'<g fill="#63b07f" stroke="#123a2a"><path transform="translate(13 31)" d="{_TREE}"/>'
        f'<path transform="translate(36 31)" d="{_TREE}"/><path transform="translate(24 37)" d="{_TREE}"/></g>'
    ),
    Terrain.LAKE: f'<path d="M4 23{_WAVE}M4 32{_WAVE}M4 41{_WAVE}" stroke="#d8eefb" stroke-width="2.6" {_LINE}/>',
    Terrain.GRASS: (
        f'<path d="M9 29{_TUFT}M40 27{_TUFT}M9 43{_TUFT}M39 44{_TUFT}" stroke="#456e1c" stroke-width="2" {_LINE}/>'
        f'<path d="M20 37v5m9 -5v5" stroke="{INK}" stroke-width="2" {_LINE}/>'
        '<path d="M17 37a5 5 0 0 1 0 -9a6 6 0 0 1 9 -2a6 6 0 0 1 7 6a5 5 0 0 1 -4 6z" fill="#fffdf4" stroke="#456e1c"/>'
        f'<ellipse cx="15" cy="30" rx="4" ry="3.4" fill="{INK}"/>'
    ),
    Terrain.SWAMP: (
        '<path d="M6 43q9 -5 18 0t18 0" stroke="#c7a5b6" stroke-width="2.4" fill="none" stroke-linecap="round"/>'
        '<path d="M12 41V24M24 40V19M36 41V25M24 40q2 -9 7 -12M12 41q1 -7 6 -10"'
        f' stroke="#e9d9b6" stroke-width="2" {_LINE}/>'
        '<g fill="#3f2432"><rect x="9" y="22" width="6" height="11" rx="3"/>'
        '<rect x="21" y="19" width="6" height="11" rx="3"/><rect x="33" y="23" width="6" height="11" rx="3"/></g>'
    ),
    Terrain.MINE: (
        '<path d="M2 46L13 29L21 36L33 23L46 46z" fill="#6f6862"/><path d="M33 23L46 46H29z" fill="#57504b"/>'
        f'<path d="M14 42L31 25" stroke="#c98f4e" stroke-width="3.4" {_LINE}/>'
        f'<path d="M21 20Q33 20 36 35" stroke="#e8e6e1" stroke-width="4" {_LINE}/>'
        f'<path d="M36 43l3 -3l3 3l-3 3zM6 44l2 -2l2 2l-2 2z" fill="{GOLD}"/>'
    ),
}


def _define_square(terrain: Terrain) -> str:
    ground = f'<rect width="{SQUARE}" height="{SQUARE}" fill="{TERRAIN_COLOURS[terrain]}"/>'
    return f'<g id="{emblem(terrain)}">{ground}{_MOTIFS[terrain]}</g>'


def _define_border(name: str, width: int, height: int) -> str:
    """The shape of a domino that lies one way or the other: what its squares are cut to, and its border."""
    shape = f'width="{width - 2}" height="{height - 2}" x="1" y="1" rx="6"'
    fold = f"M{SQUARE} 6V{height - 6}" if width > height else f"M6 {SQUARE}H{width - 6}"
    return (
        f'<clipPath id="kingdomino-cut-{name}"><rect {shape}/></clipPath>'
        f'<g id="kingdomino-{name}" fill="none" stroke="{INK}"><rect {shape} stroke-width="3"/>'
        f'<path d="{fold}" stroke-opacity=".35" stroke-dasharray="3 3"/></g>'
    )


DEFINITIONS = "\n".join(
    (
        "<defs>",
        '<radialGradient id="kingdomino-table" cy=".3" r=".9">',
        '<stop stop-color="#55705f"/><stop offset="1" stop-color="#2f4640"/></radialGradient>',
        # In small steps, as not every program that shows SVG knows the newer feDropShadow.
        '<filter id="kingdomino-shadow" x="-10%" y="-10%" width="120%" height="120%">',
        '<feGaussianBlur in="SourceAlpha" stdDeviation="2"/><feOffset dy="2"/>',
        '<feColorMatrix values="0 0 0 0 .1  0 0 0 0 .06  0 0 0 0 0  0 0 0 .45 0"/>',
        '<feMerge><feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge></filter>',
        f'<pattern id="kingdomino-free" width="{SQUARE}" height="{SQUARE}" patternUnits="userSpaceOnUse">',
        f'<rect x="4" y="4" width="{SQUARE - 8}" height="{SQUARE - 8}" rx="6" fill="#e9dcbf" stroke="#c8b48c"',
        ' stroke-dasharray="4 4"/></pattern>',
        *map(_define_square, Terrain),
        _define_border("across", 2 * SQUARE, SQUARE),
        _define_border("down", SQUARE, 2 * SQUARE),
        f'<path id="kingdomino-crown" d="M-6 5L-7 -3L-3 0L0 -5L3 0L7 -3L6 5z" fill="#ffcf33" {_OUTLINE}/>',
        f'<g id="kingdomino-castle"><rect x="1" y="1" width="{SQUARE - 2}" height="{SQUARE - 2}" rx="6" fill="#fffaf0"',
        f' stroke="{INK}" stroke-width="3"/><g {_OUTLINE} stroke-width="1.5"><path d="M24 20V6l10 4l-10 4"/>',
        '<path d="M6 43V14h4v4h4v-4h4v9h4v-4h4v4h4v-9h4v4h4v-4h4v29z"/></g>',
        f'<circle cx="24" cy="33" r="9" fill="{PAPER}" stroke="{INK}"/></g>',
        f'<g id="kingdomino-king" {_OUTLINE} stroke-width="1.5">',
        '<path d="M-14 0C-14 -14 -7 -16 -6 -25H6C7 -16 14 -14 14 0z"/>',
        '<circle cy="-28" r="7.5"/><path d="M-6 -32L-8 -42L-3 -38L0 -44L3 -38L8 -42L6 -32z" fill="#ffcf33"/>',
        f'<circle cy="-10" r="9" fill="{PAPER}" stroke-width="1"/></g>',
        '<path id="kingdomino-more" d="M-5 -4L0 4L5 -4" fill="none" stroke-width="2.5"/>',
        f'<path id="kingdomino-turn" d="M-5 -8L7 0L-5 8z" fill="{GOLD}" {_OUTLINE}/>',
        "</defs>",
    )
)
