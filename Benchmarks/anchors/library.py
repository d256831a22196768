"""A library of a folder's pictures, for the scripts beside this one."""
import json, os, subprocess


def name(path):
    return os.path.splitext(os.path.basename(path))[0]


def build(waymark, paths, folder):
    """Compiles pictures, each named like its file, into FOLDER/library unless it is there, and returns its path."""
    with open(f"{folder}/list.json", "w") as out:
        json.dump([{"name": name(p), "image": os.path.abspath(p)} for p in paths], out)
    library = f"{folder}/library"
    if not os.path.exists(library):
        subprocess.run([waymark, "anchors", "build", f"{folder}/list.json", "-o", library], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return library
