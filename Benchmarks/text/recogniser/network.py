"""The network that reads a line: a gray picture of height 32 to a distribution over characters every two pixels.

Plain convolutions and additions only, so that eight-bit weights and integer sums are enough to run it. The height is collapsed by strides and one
convolution of the height that is left; one-dimensional residual convolutions then stand in place of a recurrent layer. The last layer gives two columns
a position (outputs 0 … K-1 the left one, K … 2K-1 the right one), so that narrow letters that stand twice have room for the blank between them.
"""

import torch
from torch import nn

HEIGHT = 32
ZERO, SCALE = 128, 1 / 64  # gray that is 0, and what a step of gray is
ALPHABET = ''.join(map(chr, range(32, 127))) + (
    '€£§°¡¿«»·×ÀÁÂÃÄÅĄĂÆÇĆČĎĐÐÈÉÊËĘĚÌÍÎÏİĞŁĽÑŃŇÒÓÔÕÖØŐŒŘŚŠŞȘŤȚÙÚÛÜŮŰÝŹŻŽÞßàáâãäåąăæçćčďđðèéêëęěìíîïığłľñńňòóôõöøőœřśšşșťțùúûüůűýźżžþ'
)
CLASSES = len(ALPHABET) + 1  # 0 is the blank
COLUMNS = 2  # columns of CTC a position of the last layer

# kind, from, outputs, kernel (y, x), stride (y, x), padding (y, x), ReLU; 'add': from, other, ReLU. Layers count from 1, 0 is the picture.
LAYERS = []


def _conv(source, outputs, kernel, stride=(1, 1), pad=None, relu=True):
    pad = (kernel[0] // 2, kernel[1] // 2) if pad is None else pad
    LAYERS.append(dict(kind='conv', source=source, outputs=outputs, kernel=kernel, stride=stride, pad=pad, relu=relu))
    return len(LAYERS)


def _add(source, other):
    LAYERS.append(dict(kind='add', source=source, other=other, relu=True))
    return len(LAYERS)


def _block(source, middle, outputs, kernel):
    return _add(_conv(_conv(source, middle, kernel), outputs, kernel, relu=False), source)


def _describe():
    x = _conv(0, 48, (3, 3), (2, 2))  # 16 rows
    x = _conv(x, 64, (3, 3), (2, 2))  # 8 rows
    x = _block(x, 64, 64, (3, 3))
    x = _block(x, 32, 64, (3, 3))
    x = _conv(x, 128, (3, 3), (2, 1))  # 4 rows
    x = _block(x, 64, 128, (3, 3))
    x = _block(x, 64, 128, (3, 3))
    x = _conv(x, 256, (4, 3), pad=(0, 1))  # 1 row
    for _ in range(5):
        x = _block(x, 80, 256, (1, 7))
    _conv(x, COLUMNS * CLASSES, (1, 1), relu=False)


_describe()


class Network(nn.Module):
    """The layers above, with batch norm after each convolution but the last until `fold` takes it into the weights."""

    def __init__(self):
        super().__init__()
        self.convolutions, self.norms, channels = nn.ModuleDict(), nn.ModuleDict(), [1]
        for number, layer in enumerate(LAYERS, 1):
            channels.append(channels[layer['source']] if layer['kind'] == 'add' else layer['outputs'])
            if layer['kind'] == 'conv':
                inputs, last = channels[layer['source']], number == len(LAYERS)
                self.convolutions[str(number)] = nn.Conv2d(inputs, layer['outputs'], layer['kernel'], layer['stride'], layer['pad'], bias=last)
                if not last:
                    self.norms[str(number)] = nn.BatchNorm2d(layer['outputs'])
                    nn.init.kaiming_normal_(self.convolutions[str(number)].weight, nonlinearity='relu')
            elif number != len(LAYERS):
                nn.init.constant_(self.norms[str(layer['source'])].weight, 0.3)

    def forward(self, x, watch=None):
        """Gives logits, batch x columns x classes, for gray values in 0 … 255, batch x 1 x 32 x width. `watch` sees every layer's output."""
        made = [((x - ZERO) * SCALE).to(memory_format=torch.channels_last)]
        for number, layer in enumerate(LAYERS, 1):
            key, value = str(number), made[layer['source']]
            if layer['kind'] == 'add':
                value = value + made[layer['other']]
            else:
                value = self.convolutions[key](value)
                if key in self.norms:
                    value = self.norms[key](value)
            value = torch.relu(value) if layer['relu'] else value
            value = value if watch is None else watch(number, value)
            made.append(value)
        out = made[-1][:, :, 0].transpose(1, 2)
        return out.reshape(out.shape[0], -1, CLASSES)

    def fold(self):
        """Takes the batch norms into the convolutions; the network then only infers."""
        with torch.no_grad():
            for key, norm in list(self.norms.items()):
                conv, gain = self.convolutions[key], norm.weight / torch.sqrt(norm.running_var + norm.eps)
                conv.weight *= gain[:, None, None, None]
                conv.bias = nn.Parameter(norm.bias - norm.running_mean * gain)
                del self.norms[key]
        return self


def products(width):
    """Gives the multiplications and additions for a line of this width."""
    shapes, total = [(1, HEIGHT, width)], 0
    for layer in LAYERS:
        c, h, w = shapes[layer['source']]
        if layer['kind'] == 'conv':
            (kh, kw), (sh, sw), (ph, pw) = layer['kernel'], layer['stride'], layer['pad']
            h, w = (h + 2 * ph - kh) // sh + 1, (w + 2 * pw - kw) // sw + 1
            total += h * w * layer['outputs'] * c * kh * kw
            c = layer['outputs']
        shapes.append((c, h, w))
    return total


def decode(best):
    """Gives the text of a row of classes, the likeliest of every column."""
    text, last = [], 0
    for c in best:
        if c and c != last:
            text.append(ALPHABET[c - 1])
        last = c
    return ''.join(text)
