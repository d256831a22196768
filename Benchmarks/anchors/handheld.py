"""A flat picture before a background, seen by a camera that a hand moves; for the scripts beside this one."""
import cv2, numpy as np

W, H, F = 640, 480, 600.0


def turn(x, y, z):
    return cv2.Rodrigues(np.array([x, 0, 0.0]))[0] @ cv2.Rodrigues(np.array([0, y, 0.0]))[0] @ cv2.Rodrigues(np.array([0, 0, z]))[0]


def view(R, t, w, h, width=0.2):
    """Pixels of the picture (centres at whole numbers) → pixels of the frame; the picture is `width` metres wide."""
    unit = width / w
    plane = np.array([[unit, 0, -unit * (w - 1) / 2], [0, unit, -unit * (h - 1) / 2], [0, 0, 1]])
    M = R.copy(); M[:, 2] = t
    return np.array([[F, 0, (W - 1) / 2], [0, F, (H - 1) / 2], [0, 0, 1]]) @ M @ plane


def show(picture, M, ground):
    n = 2
    up = np.array([[n, 0, (n - 1) / 2], [0, n, (n - 1) / 2], [0, 0, 1]]) @ M
    big = cv2.warpPerspective(picture, up, (W * n, H * n), flags=cv2.INTER_LINEAR).astype(np.float32)
    mask = cv2.warpPerspective(np.full_like(picture, 255), up, (W * n, H * n))
    return cv2.resize(np.where(mask > 127, big, cv2.resize(ground, (W * n, H * n))), (W, H), interpolation=cv2.INTER_AREA)


class Path:
    """A path of three sines for each of three angles (radians) and three distances (metres).

    `rates` are the slowest and the fastest in hertz, `reach` how far each of the six goes, `speed` by how much all is faster, `distance` that of
    the picture, `size` its pixels (w, h), `rest` the seconds that it stands still at first, to set off at full speed.
    """

    def __init__(self, rng, rates, reach, speed, distance, size, rest=0):
        self.rate, self.phase = rng.uniform(*rates, (6, 3)), rng.uniform(0, 2 * np.pi, (6, 3)); self.rate[:, 2] *= 3
        self.reach, self.speed, self.distance, self.size, self.rest = np.array(reach), speed, distance, size, rest

    def at(self, t):
        """The map of the picture into the frame at a time in seconds."""
        t = max(0, t - self.rest)
        v = (np.sin(2 * np.pi * self.rate * t * self.speed + self.phase) * [0.6, 0.3, 0.1]).sum(1) * self.reach
        return view(turn(v[0] + 0.2, v[1] - 0.15, v[2]), np.array([v[3], v[4], self.distance + v[5]]), *self.size)

    def corners(self, t):
        w, h = self.size
        q = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]], float) @ self.at(t).T
        return q[:, :2] / q[:, 2:]

    def exposed(self, picture, ground, t, shutter, views):
        """What a shutter sees that is open for this share of a thirtieth of a second around `t`: the mean of so many views."""
        return sum(show(picture, self.at(t + ((k + 0.5) / views - 0.5) * shutter / 30), ground) for k in range(views)) / views
