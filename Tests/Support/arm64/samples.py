"""Runs the commands of the program on the samples, on this processor and on arm64, and compares what they print and write.

    python3 samples.py HERE THERE

HERE and THERE start the program; the one that reads text lies beside it. Text and bytes must be equal; numbers with a fraction,
which come of geometry, to 1e-4 of the picture's size. Prints a line "pass NAME" or "FAIL NAME" for each command.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
# Times are not results.
TIMES = re.compile(r'"(?:elapsed|following|reading)":[-+.0-9e]+|\d+(?:\.\d+)? m?s\b')
FAR = 1e-4 * 1280


def run(program, arguments, folder):
    started = time.monotonic()
    environment = dict(os.environ, HOME=str(folder), XDG_STATE_HOME=str(folder / "state"), XDG_CACHE_HOME=str(folder / "cache"))
    done = subprocess.run([program, *arguments], capture_output=True, timeout=900, cwd=os.getcwd(), env=environment)
    return done.returncode, done.stdout, done.stderr, time.monotonic() - started


def near(one, other):
    """The largest difference between the fractions of two outputs; None where anything else differs."""
    one, other = TIMES.sub("", one), TIMES.sub("", other)
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return None
    return max((abs(float(a) - float(b)) for a, b in zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)), default=0.0)


def main():
    here, there = sys.argv[1:3]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folders = [pathlib.Path(name) / "here", pathlib.Path(name) / "there"]
        for folder in folders:
            folder.mkdir()
        shared = pathlib.Path(name)

        def compare(title, arguments, files=(), status=0):
            """Runs it on both; @ in an argument is the folder of the one, % the one that both share; status is the one expected."""
            nonlocal failed
            results = []
            for program, folder in zip((here, there), folders):
                words = [word.replace("@", str(folder)).replace("%", str(shared)) for word in arguments]
                results.append(run(program, words, folder))
            (code, out, error, seconds), (code2, out2, error2, seconds2) = results
            texts = [text.decode(errors="replace").replace(str(folder), "@") for text, folder in zip((out, out2), folders)]
            errors = [text.decode(errors="replace").replace(str(folder), "@") for text, folder in zip((error, error2), folders)]
            distance = near(*texts)
            same = code == code2 == status and distance is not None and distance <= FAR and near(*errors) is not None
            different = [file for file in files if (folders[0] / file).read_bytes() != (folders[1] / file).read_bytes()] if same else []
            same = same and not different
            failed += not same
            print(f"{'pass' if same else 'FAIL'} {title} (status {code}, {len(out)} bytes"
                  f"{f', numbers to {distance:.1e}' if distance else ''}; {seconds:.1f} s here, {seconds2:.1f} s there)", flush=True)
            if not same:
                print(f"     | status {code} and {code2}; files that differ: {different}")
                for line in list(difflib.unified_diff(*[(text + error).splitlines() for text, error in zip(texts, errors)], lineterm="", n=0))[:12]:
                    print("     | " + line[:200])
            return results

        pictures = sorted(str(path) for path in pathlib.Path("Samples/pictures").iterdir())
        compare("version", ["--version"])
        # Some hold no code, or one that onboarding refuses.
        compare("codes in the pictures", ["scan", "--json", *pictures], status=1)
        compare("verdicts of onboarding", ["scan", "--onboarding", *pictures], status=2)
        compare("print quality", ["scan", "--grade", "Samples/pictures/product.png"])
        compare("codes of the fixtures", ["scan", "--json", "Tests/Fixtures/Codes"], status=1)
        converted = "Tests/Fixtures/Pictures/converted"
        others = ["dark-avif.avif", "dark-jxl.jxl", "heic.heic", "jxl.jxl", "pdf-pages.pdf", "tiff-pages.tif"]
        compare("codes in TIFF, HEIC, AVIF, JPEG XL and PDF", ["scan", "--json", *[f"{converted}/{name}" for name in others]])
        anchors = [f"Samples/scenes/pump-room/{name}.jpg" for name in ("cabinet", "manifold", "pump-7")]
        compare("quality of anchors", ["anchors", "quality", *anchors])
        compare("a library of anchors", ["anchors", "build", *anchors, "-o", "@/library.anchors"], ["library.anchors"])
        walk = sorted(str(path) for path in pathlib.Path("Samples/sequences/pump-room").glob("*.jpg"))[40:43]
        compare("anchors matched", ["anchors", "match", "--json", "@/library.anchors", *walk])
        compare("the scene", ["scene", "check", "Samples/scenes/pump-room"])
        compare("the picture of the scene", ["scene", "preview", "Samples/scenes/pump-room", "-o", "@/preview.png"], ["preview.png"])
        compare("pages found", ["documents", "find", "--json", *[f"Samples/papers/{name}.jpg" for name in ("letter-1", "letter-2", "plate")]])
        compare("a page made straight", ["documents", "scan", "Samples/papers/letter-2.jpg", "-o", "@/page.png"], ["page.png"])
        compare("codes counted", ["count", "--json", "Samples/papers/shelf.jpg"])
        compare("codes followed", ["anchors", "codes", "--json", "Samples/frames"])
        code, keys, _, _ = run(here, ["onboarding", "keygen", "--algorithm", "EdDSA", "--kid", "fleet", "--key", str(shared / "fleet.pem")], folders[0])
        (shared / "keys.jwks").write_bytes(keys)
        (shared / "payload.json").write_text('{"appID":"com.example.pump","host":"mobile.example.com"}')
        (shared / "site").mkdir()
        (shared / "site" / "policy.yaml").write_text("onboarding:\n  hosts: [mobile.example.com]\n")
        signed = compare("a token signed", ["onboarding", "sign", "--key", "%/fleet.pem", "--kid", "fleet", "--issuer", "https://it.example.com",
                                   "--audience", "kiosk", "%/payload.json"])
        (shared / "policy.yaml").write_text("onboarding:\n  hosts: [mobile.example.com]\n  keyFiles: [keys.jwks]\n"
                                            "  issuer: https://it.example.com\n  audience: kiosk\n")
        compare("its signature verified", ["onboarding", "check", "--policy", "%/policy.yaml", signed[0][1].decode().strip()])
        run(here, ["bundle", "make", str(shared / "site"), "--name", "site", "--number", "1", "--key", str(shared / "fleet.pem"), "-o",
                   str(shared / "site.tar")], folders[0])
        compare("a bundle verified", ["bundle", "verify", "%/site.tar", "--keys", "%/keys.jwks"])
        compare("a bundle applied", ["bundle", "apply", "%/site.tar", "--keys", "%/keys.jwks", "--folder", "@/bundles", "--no-service"])
        compare("the protocol's schema", ["protocol", "--schema"])
        # Parts of the picture, since no line is begun after twenty seconds, which are few under emulation on a busy machine.
        compare("lines of text read", ["text", "--json", "--region", "160,150,680,120", "Samples/papers/plate.jpg"])
        compare("a text that satisfies a pattern", ["text", "--pattern", "/PX-[0-9]{6}/", "--region", "460,270,380,120", "Samples/papers/plate.jpg"])
    return failed


sys.exit(main() > 0)
