#!/usr/bin/env python3
"""Measures the focal length that the service finds for a camera without a calibration.

  intrinsics.py WAYMARK PICTURE [--cameras 450:-0.2,520:-0.08,760:0,900:0] [--frames 450]

A picture on a board, 30 cm wide, is rendered as each camera (FOCAL:K1, in pixels of 640x480, K1 the radial distortion that nobody knows of)
sees it turned slowly in a hand: blurred a little, with noise of three gray levels, as JPEG, 30 frames a second. `waymark serve` plays the frames
and follows the picture. Told are the focal lengths of its events `camera.intrinsics`, by how much they are off, and beside them OpenCV's
calibrateCamera (square pixels, centred, no distortion) on the corners that the service reports of every fifteenth frame. Without either the service
assumes 554 pixels. Needs numpy and opencv-python-headless.
"""
import argparse, json, os, subprocess, tempfile, time
import cv2, numpy as np

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("picture")
ap.add_argument("--cameras", default="450:-0.2,520:-0.08,760:0,900:0"); ap.add_argument("--frames", type=int, default=450)
a = ap.parse_args()
picture = cv2.imread(a.picture)
height, width = picture.shape[:2]


def render(focal, k1):
    """The frames of a camera, drawn at twice the size."""
    random = np.random.default_rng(3)
    K = np.array([[2 * focal, 0, 639.5], [0, 2 * focal, 479.5], [0, 0, 1]])
    grid = np.stack(np.meshgrid(np.arange(1280.0), np.arange(960.0)), -1).reshape(-1, 1, 2)
    straight = cv2.undistortPoints(grid, K, np.array([k1, 0, 0, 0, 0]), P=K).reshape(960, 1280, 2).astype(np.float32)
    scale = 0.3 / width
    plane = np.array([[scale, 0, -scale * (width - 1) / 2], [0, scale, -scale * (height - 1) / 2], [0, 0, 1]])
    for i in range(a.frames):
        t = i / 30
        turns = [(0.75 * np.sin(0.9 * t), 0, 0), (0, 0.75 * np.sin(0.61 * t + 1), 0), (0, 0, 0.3 * np.sin(0.4 * t))]
        R = np.linalg.multi_dot([cv2.Rodrigues(np.array(turn, float))[0] for turn in turns])
        T = np.array([0.04 * np.sin(0.5 * t), 0.03 * np.sin(0.7 * t), focal / 900 + 0.05 * np.sin(0.3 * t)])
        frame = cv2.warpPerspective(picture, K @ np.column_stack([R[:, 0], R[:, 1], T]) @ plane, (1280, 960), np.full((960, 1280, 3), 150, np.uint8),
                                    borderMode=cv2.BORDER_TRANSPARENT)
        frame = cv2.resize(cv2.remap(frame, straight, None, cv2.INTER_LINEAR), (640, 480), interpolation=cv2.INTER_AREA)
        frame = np.clip(frame + random.normal(0, 3, frame.shape), 0, 255).astype(np.uint8)
        yield cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes()


def calibrated(views):
    """OpenCV's focal length from corners."""
    board = np.float32([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]])
    flags = (cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_ZERO_TANGENT_DIST
             | cv2.CALIB_FIX_K1 | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3)
    K = np.array([[554.0, 0, 319.5], [0, 554.0, 239.5], [0, 0, 1]])
    return cv2.calibrateCamera([board] * len(views), [np.float32(v) for v in views], (640, 480), K, np.zeros(5), flags=flags)[1][0, 0]


with tempfile.TemporaryDirectory() as work:
    subprocess.run([a.waymark, "anchors", "build", a.picture, "-o", f"{work}/library"], check=True, stdout=subprocess.DEVNULL)
    print(f"{'focal, k1':>12} {'first report':>16} {'last report':>16} {'views':>6} {'deviation':>10} {'OpenCV':>16}")
    for camera in a.cameras.split(","):
        focal, k1 = map(float, camera.split(":"))
        stream = f"{work}/{focal:g}.mjpeg"
        with open(stream, "wb") as file: file.writelines(render(focal, k1))
        with open(f"{work}/waymark.yaml", "w") as file: file.write(f"anchors: {{library: {work}/library}}\nsource: {{path: {stream}, loop: false}}\n")
        service = subprocess.Popen([a.waymark, "serve", "--config", f"{work}/waymark.yaml", "--socket", f"{work}/socket"], stderr=subprocess.DEVNULL, env={**os.environ, "STATE_DIRECTORY": f"{work}/state"})
        for _ in range(100):
            if os.path.exists(f"{work}/socket"): break
            if service.poll() is not None: raise SystemExit(f"waymark serve ended with {service.returncode}")
            time.sleep(0.1)
        watch = subprocess.Popen([a.waymark, "watch", "--socket", f"{work}/socket", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        reports, corners = [], []
        for line in watch.stdout:
            event = json.loads(line)
            if event.get("event") == "camera.intrinsics": reports.append(event)
            if event.get("event") == "anchors.updated": corners += [x["corners"] for x in event["anchors"] if x["trackingMethod"] == "fullTracking"]
            if event.get("event") == "camera.status" and event["status"] in ("lost", "closed") and corners: break
        for process in (watch, service): process.terminate(); process.wait()
        off = lambda f: f"{f:.0f} ({100 * (f / focal - 1):+.1f} %)"
        first, last = [t["intrinsics"]["fx"] for t in (reports[0], reports[-1])] if reports else (float("nan"),) * 2
        print(f"{camera:>12} {off(first):>16} {off(last):>16} {reports[-1]['views'] if reports else 0:6} {100 * reports[-1]['deviation'] if reports else 0:8.1f} % {off(calibrated(corners[::15])):>16}", flush=True)
