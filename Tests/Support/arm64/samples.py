"""Runs the commands of the program on the samples, on this processor and on arm64, and compares what they print and write.

    python3 samples.py run PROGRAM FOLDER NAME     runs every command, and keeps what it did in FOLDER/NAME.json
    python3 samples.py compare FOLDER HERE THERE   compares what two programs did: text and bytes must be equal, numbers with a
                                                   fraction, which come of geometry, the same to 1e-4 of the picture's size

The program that reads text lies beside PROGRAM. The program that is run first makes the keys, the token and the bundle that all share,
in FOLDER/shared; the working directory is the project's. `compare` prints a line "pass TITLE" or "FAIL TITLE" for each command.
"""
import base64
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
# Times are not results.
TIMES = re.compile(r'"(?:elapsed|following|reading)":[-+.0-9e]+|\d+(?:\.\d+)? m?s\b')
FAR = 1e-4 * 1280
# What a command is given; a processor that is emulated on a busy machine is slow.
PATIENCE = 1800


class Runs:
    """What one program printed and wrote, command by command."""

    def __init__(self, program, folder, name):
        self.program, self.shared, self.own = program, folder / "shared", folder / name
        self.first = not self.shared.exists()
        self.shared.mkdir(exist_ok=True)
        shutil.rmtree(self.own, ignore_errors=True)
        self.own.mkdir()
        self.done = []

    def words(self, text):
        """Without the folders, which have other names in another system."""
        return text.decode(errors="replace").replace(str(self.own), "@").replace(str(self.shared), "%")

    def plain(self, arguments):
        """Runs a command; @ in an argument is the program's own folder, % the shared one. Returns status, output, errors."""
        environment = dict(os.environ, HOME=str(self.own), XDG_STATE_HOME=str(self.own / "state"), XDG_CACHE_HOME=str(self.own / "cache"))
        arguments = [word.replace("@", str(self.own)).replace("%", str(self.shared)) for word in arguments]
        done = subprocess.run([self.program, *arguments], capture_output=True, timeout=PATIENCE, env=environment)
        return done.returncode, done.stdout, done.stderr

    def take(self, title, arguments, files=(), status=0):
        """Runs a command and keeps what it did, with the files that it wrote; status is the one expected. Returns what it printed."""
        started = time.monotonic()
        code, out, error = self.plain(arguments)
        written = {file: base64.b64encode((self.own / file).read_bytes()).decode() for file in files if (self.own / file).exists()}
        self.done.append({"title": title, "status": code, "expected": status, "out": self.words(out), "error": self.words(error),
                          "files": written, "wanted": list(files), "seconds": time.monotonic() - started})
        return out


def commands(runs):
    """Every command that is compared."""
    take = runs.take
    pictures = sorted(str(path) for path in pathlib.Path("Samples/pictures").iterdir())
    take("version", ["--version"])
    # Some hold no code, or one that onboarding refuses.
    take("codes in the pictures", ["scan", "--json", *pictures], status=1)
    take("verdicts of onboarding", ["scan", "--onboarding", *pictures], status=2)
    take("codes of the fixtures", ["scan", "--json", "Tests/Fixtures/Codes"], status=1)
    converted = "Tests/Fixtures/Pictures/converted"
    others = ["dark-avif.avif", "dark-jxl.jxl", "heic.heic", "jxl.jxl", "pdf-pages.pdf", "tiff-pages.tif"]
    take("codes in TIFF, HEIC, AVIF, JPEG XL and PDF", ["scan", "--json", *[f"{converted}/{name}" for name in others]])
    anchors = [f"Samples/scenes/pump-room/{name}.jpg" for name in ("cabinet", "manifold", "pump-7")]
    take("quality of anchors", ["anchors", "quality", *anchors])
    take("a library of anchors", ["anchors", "build", *anchors, "-o", "@/library.anchors"], ["library.anchors"])
    walk = sorted(str(path) for path in pathlib.Path("Samples/sequences/pump-room").glob("*.jpg"))[40:43]
    take("anchors matched", ["anchors", "match", "--json", "@/library.anchors", *walk])
    take("the scene", ["scene", "check", "Samples/scenes/pump-room"])
    take("the picture of the scene", ["scene", "preview", "Samples/scenes/pump-room", "-o", "@/preview.png"], ["preview.png"])
    take("pages found", ["documents", "find", "--json", *[f"Samples/papers/{name}.jpg" for name in ("letter-1", "letter-2", "plate")]])
    take("a page made straight", ["documents", "scan", "Samples/papers/letter-2.jpg", "-o", "@/page.png"], ["page.png"])
    take("codes counted", ["count", "--json", "Samples/papers/shelf.jpg"])
    if runs.first:
        _, keys, _ = runs.plain(["onboarding", "keygen", "--algorithm", "EdDSA", "--kid", "fleet", "--key", "%/fleet.pem"])
        (runs.shared / "keys.jwks").write_bytes(keys)
        (runs.shared / "payload.json").write_text('{"appID":"com.example.pump","host":"mobile.example.com"}')
        (runs.shared / "site").mkdir()
        (runs.shared / "site" / "policy.yaml").write_text("onboarding:\n  hosts: [mobile.example.com]\n")
        (runs.shared / "policy.yaml").write_text("onboarding:\n  hosts: [mobile.example.com]\n  keyFiles: [keys.jwks]\n"
                                                 "  issuer: https://it.example.com\n  audience: kiosk\n")
        runs.plain(["bundle", "make", "%/site", "--name", "site", "--number", "1", "--key", "%/fleet.pem", "-o", "%/site.tar"])
    token = take("a token signed", ["onboarding", "sign", "--key", "%/fleet.pem", "--kid", "fleet", "--issuer", "https://it.example.com",
                                    "--audience", "kiosk", "%/payload.json"])
    take("its signature verified", ["onboarding", "check", "--policy", "%/policy.yaml", token.decode().strip()])
    take("a bundle verified", ["bundle", "verify", "%/site.tar", "--keys", "%/keys.jwks"])
    take("a bundle applied", ["bundle", "apply", "%/site.tar", "--keys", "%/keys.jwks", "--folder", "@/bundles", "--no-service"])
    take("the protocol's schema", ["protocol", "--schema"])
    # Small parts of the picture: the program that reads text has ten seconds for an answer, which are few under emulation.
    take("lines of text read", ["text", "--json", "--region", "160,160,300,90", "Samples/papers/plate.jpg"])
    take("a text that satisfies a pattern", ["text", "--pattern", "/PX-[0-9]{6}/", "--region", "470,290,350,60", "Samples/papers/plate.jpg"])


def near(one, other):
    """The largest difference between the fractions of two outputs; None where anything else differs."""
    one, other = TIMES.sub("", one), TIMES.sub("", other)
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return None
    return max((abs(float(a) - float(b)) for a, b in zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)), default=0.0)


def compare(here, there):
    """Prints a line for each command; returns how many differ."""
    failed = 0
    for a, b in zip(here, there, strict=True):
        assert a["title"] == b["title"]
        distance = near(a["out"], b["out"])
        same = a["status"] == b["status"] == a["expected"] and distance is not None and distance <= FAR and near(a["error"], b["error"]) is not None
        different = [file for file in a["wanted"] if a["files"].get(file, 0) != b["files"].get(file, 1)]
        same = same and not different
        failed += not same
        print(f"{'pass' if same else 'FAIL'} {a['title']} (status {a['status']}, {len(a['out'])} characters"
              f"{f', numbers to {distance:.1e}' if distance else ''}; {a['seconds']:.1f} s here, {b['seconds']:.1f} s there)", flush=True)
        if not same:
            print(f"     | status {a['status']} and {b['status']}; files that differ: {different}")
            for line in list(difflib.unified_diff(*[(run["out"] + run["error"]).splitlines() for run in (a, b)], lineterm="", n=0))[:12]:
                print("     | " + line[:200])
    return failed


def main():
    what, *rest = sys.argv[1:]
    if what == "run":
        program, folder, name = rest[0], pathlib.Path(rest[1]).absolute(), rest[2]
        runs = Runs(program, folder, name)
        commands(runs)
        (folder / f"{name}.json").write_text(json.dumps(runs.done))
        return 0
    folder = pathlib.Path(rest[0])
    return compare(*[json.loads((folder / f"{name}.json").read_text()) for name in rest[1:]])


sys.exit(main() > 0)
