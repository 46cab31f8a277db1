"""Steps of training: the twin of training.lua."""
import torch
import torch.nn.functional as F
from torch import from_numpy as tensor
from torch import nn

import inputs

STEPS = 3


def _training(net, optimizer_of, loss_of):
    with torch.no_grad():
        for i, (name, p) in enumerate(net.named_parameters()):
            p.copy_(tensor(inputs.parameter(i, name, tuple(p.shape))))
    optimizer = optimizer_of(net.parameters())

    def run():
        loss = loss_of(net)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return run, lambda run: [run() for _ in range(STEPS)]


def _classify(x, target):
    x, target = tensor(x), tensor(target)
    return lambda net: F.cross_entropy(net(x), target)


def _adam(parameters):
    return torch.optim.Adam(parameters, lr=1e-3)


def _adamw(parameters):
    return torch.optim.AdamW(parameters, lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)


def _sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9)


def mlp(batch):
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    return _training(net, _adam, _classify(inputs.uniform(1, batch, 784), inputs.positions(2, 10, batch)))


def cnn(batch):
    net = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
                        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10))
    return _training(net, _adam,
                     _classify(inputs.uniform(1, batch, 1, 28, 28), inputs.positions(2, 10, batch)))


def _recurrent(layer, batch, length):
    x = tensor(inputs.uniform(1, length, batch, 128))
    return _training(layer, _sgd, lambda net: net(x)[0].square().mean())


def lstm(batch, length):
    return _recurrent(nn.LSTM(128, 256), batch, length)


def gru(batch, length):
    return _recurrent(nn.GRU(128, 256), batch, length)


class Block(nn.Module):
    def __init__(self, channels, to, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, to, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(to)
        self.conv2 = nn.Conv2d(to, to, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(to)
        self.downsample = None
        if stride != 1 or channels != to:
            self.downsample = nn.Sequential(nn.Conv2d(channels, to, 1, stride=stride, bias=False),
                                            nn.BatchNorm2d(to))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


def _resnet18(classes):
    layers = [nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
              nn.MaxPool2d(3, stride=2, padding=1)]
    channels = 64
    for stage in range(4):
        to = 64 * 2**stage
        layers += [Block(channels, to, 1 if stage == 0 else 2), Block(to, to, 1)]
        channels = to
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, classes))


def resnet18(batch, side):
    return _training(_resnet18(1000), _sgd,
                     _classify(inputs.uniform(1, batch, 3, side, side), inputs.positions(2, 1000, batch)))


WORDS = 65


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        n, length, width = x.shape
        q, k, v = (part.view(n, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).chunk(3, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(n, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self, layers, width, heads, length):
        super().__init__()
        self.words = nn.Embedding(WORDS, width)
        self.places = nn.Embedding(length, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, WORDS, bias=False)

    def forward(self, words, places):
        x = self.words(words) + self.places(places)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def gpt(layers, width, heads, batch, length):
    words, following = (tensor(inputs.positions(1, WORDS, batch, length)),
                        tensor(inputs.positions(2, WORDS, batch * length)))
    places = torch.arange(length)
    return _training(GPT(layers, width, heads, length), _adamw,
                     lambda net: F.cross_entropy(net(words, places).view(-1, WORDS), following))
