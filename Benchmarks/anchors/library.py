"""Pictures and the library of a folder of them, for the scripts beside this one."""
import json, os, subprocess
import cv2


def name(path):
    return os.path.splitext(os.path.basename(path))[0]


def load(path, side=480):
    """The gray picture of a file, its longer side so many pixels long."""
    g = cv2.imread(path, 0); s = side / max(g.shape)
    return cv2.resize(g, None, fx=s, fy=s, interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_CUBIC)


def build(waymark, paths, folder):
    """Compiles pictures, each named like its file, into FOLDER/library unless it is there, and returns its path."""
    with open(f"{folder}/list.json", "w") as out:
        json.dump([{"name": name(p), "image": os.path.abspath(p)} for p in paths], out)
    library = f"{folder}/library"
    if not os.path.exists(library):
        subprocess.run([waymark, "anchors", "build", f"{folder}/list.json", "-o", library], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return library
