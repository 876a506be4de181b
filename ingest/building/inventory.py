"""What stands on the desks and in the rooms: machines with their software, and equipment.

A lab machine is called after its lab (hopper-07), any other after a bird. Everything is drawn from one
seed, so the inventory is the same for ever.
"""

from collections.abc import Iterable, Iterator
from itertools import count
from random import Random

from ingest.building.elements import Desk, Equipment, Machine, Room

SEED = 20_260
_BIRD_NAMES = (
    "avocet bittern blackbird bluethroat brambling bullfinch bunting bustard buzzard capercaillie "
    "chaffinch chiffchaff chough coot cormorant corncrake crane crossbill crow cuckoo curlew dipper diver "
    "dotterel dove dunlin dunnock eagle egret eider falcon fieldfare firecrest flycatcher fulmar gadwall "
    "gannet godwit goldcrest goldeneye goldfinch goosander goshawk grebe greenfinch greenshank grouse "
    "guillemot gull harrier hawfinch heron hobby hoopoe ibis jackdaw jay kestrel kingfisher kite "
    "kittiwake knot lapwing linnet magpie mallard martin merganser merlin moorhen nightingale nightjar "
    "nuthatch oriole osprey ouzel owl oystercatcher partridge peregrine petrel phalarope pheasant pintail "
    "pipit plover pochard puffin quail rail raven razorbill redpoll redshank redstart redwing robin "
    "roller rook ruff sanderling sandpiper scaup scoter serin shag shearwater shelduck shoveler shrike "
    "siskin skua skylark smew snipe sparrow spoonbill starling stilt stonechat stork swallow swan swift "
    "teal tern thrush treecreeper turnstone twite vulture wagtail warbler waxwing wheatear whimbrel "
    "whinchat whitethroat wigeon woodcock woodlark woodpecker wren wryneck yellowhammer"
)
BIRDS = _BIRD_NAMES.split()
MODELS = (
    ("AMD Ryzen 5 7600", 6, 32, None),
    ("AMD Ryzen 9 7950X", 16, 64, "NVIDIA RTX 4070"),
    ("Intel Core i5-13500", 14, 16, None),
    ("Intel Core i7-13700", 16, 32, None),
    ("Intel Core i9-13900K", 24, 128, "NVIDIA RTX 4090"),
)
PACKAGES = {
    "Firefox": "128.4", "LibreOffice": "24.8", "Word": "16.0", "Excel": "16.0", "LaTeX": "2025",
    "Python": "3.13", "VS Code": "1.95", "Eclipse": "2025-09", "MATLAB": "R2025b", "R": "4.5",
    "Blender": "4.3", "Kdenlive": "24.08", "GIMP": "2.10", "CUDA": "12.6", "Docker": "27.3",
    "Quartus": "24.1", "KiCad": "8.0", "Unity": "6.0", "Rust": "1.90",
}  # fmt: skip
ALWAYS = ("Firefox", "Python")
PROFILES = {
    "Lab Hopper": (0, "Word, Excel, LaTeX, VS Code, Eclipse"),
    "Lab Lovelace": (3, "Word, Excel, LaTeX, GIMP, R"),
    "Lab Dijkstra": (0, "LaTeX, VS Code, Rust, Docker"),
    "Lab Noether": (3, "Word, LaTeX, MATLAB, R"),
    "Lab Knuth": (1, "LaTeX, VS Code, Docker, CUDA, Rust"),
    "Lab Hamilton": (4, "MATLAB, CUDA, Blender, Kdenlive"),
}
EQUIPMENT = {
    "lab": (("whiteboard", 2), ("projector", 1)),
    "seminar": (("whiteboard", 1), ("projector", 1), ("video conference", 1)),
    "hall": (("projector", 2), ("microphone", 4), ("recording", 1)),
    "meeting": (("whiteboard", 1), ("screen", 1)),
    "printers": (("printer", 2), ("scanner", 1)),
    "library": (("scanner", 1), ("printer", 1)),
    "study": (("whiteboard", 1),),
    "kitchen": (("coffee machine", 1), ("fridge", 2)),
    "cafe": (("coffee machine", 2),),
    "reception": (("defibrillator", 1),),
    "workshop": (("soldering station", 4),),
    "server": (("rack", 8),),
    "foyer": (("kiosk", 1),),
    "studio": (("camera", 2),),
}
SPECIAL = {
    "Maker Space": (("3D printer", 3), ("laser cutter", 1)),
    "Robotics Hall": (("robot arm", 2), ("motion capture", 1)),
    "VR Studio": (("VR headset", 6),),
    "Lab Hamilton": (("GPU server", 2),),
}


def stand_machines(desks: Iterable[Desk], rooms: Iterable[Room]) -> Iterator[Machine]:
    """One machine on every desk."""
    draw = Random(SEED)
    names = {room.id: room.name for room in rooms}
    birds, seen = _bird_names(), dict.fromkeys(names, 0)
    for desk in desks:
        seen[desk.room] += 1
        lab = names[desk.room]
        host = f"{lab.split()[1].lower()}-{seen[desk.room]:02d}" if lab in PROFILES else next(birds)
        cpu_type, cores, memory, gpu = MODELS[PROFILES[lab][0]] if lab in PROFILES else draw.choice(MODELS)
        packages = tuple(sorted((name, PACKAGES[name]) for name in _packages(draw, lab)))
        yield Machine(
            host,
            desk.id,
            desk.room,
            desk.floor,
            _place(desk),
            f"{host}.cs",
            cpu_type,
            cores,
            memory,
            gpu,
            packages,
        )


def equip(rooms: Iterable[Room]) -> Iterator[Equipment]:
    for room in rooms:
        for item, pieces in (*EQUIPMENT.get(room.kind, ()), *SPECIAL.get(room.name, ())):
            yield Equipment(room.id, item, pieces)


def _bird_names() -> Iterator[str]:
    """Every bird once, then every bird a second time."""
    yield from BIRDS
    for nest in count(2):
        yield from (f"{bird}-{nest}" for bird in BIRDS)


def _packages(draw: Random, lab: str) -> set[str]:
    if lab in PROFILES:
        return {*ALWAYS, *PROFILES[lab][1].split(", ")}
    office = draw.choice(("Word", "LibreOffice"))
    return {*ALWAYS, office, "LaTeX", *draw.sample(sorted(PACKAGES), draw.randint(2, 5))}


def _place(desk: Desk) -> tuple[float, float]:
    """The screen stands on the far side of the desk."""
    (x, y), (sx, sy) = desk.middle, desk.seat
    return (round(x - (sx - x) * 0.2, 2), round(y - (sy - y) * 0.2, 2))
