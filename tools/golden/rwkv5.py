"""RWKV 5 ("Eagle"), which no library has: what its class Rwkv5ForCausalLM (github.com/BBuf/RWKV-World-HF-Tokenizer) computes in
double precision, written down again in few lines, token by token. And an RWKV 6 that is the same network, for llama.cpp to judge.
"""
import torch
import torch.nn.functional as F


class Network:
    def __init__(self, config, tensors):
        self.w = {name: tensor.double() for name, tensor in tensors.items()}
        self.layers, self.head = config["num_hidden_layers"], config["head_size"]
        self.heads, self.divisor = config["hidden_size"] // self.head, config["head_size_divisor"]
        self.epsilon = config["layer_norm_epsilon"]

    def norm(self, x, name, epsilon):
        return F.layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"], epsilon)

    def linear(self, x, name):
        return F.linear(x, self.w[name + ".weight"])

    def shifted(self, x, name):
        """Mixed with the token before."""
        mix, before = self.w[name].flatten(), F.pad(x, (0, 0, 1, -1))
        return x * mix + before * (1 - mix)

    def time_mix(self, x, p):
        def read(name):
            return self.linear(self.shifted(x, f"{p}time_mix_{name}"), p + name)

        receptance, key, value = (read(name).view(-1, self.heads, self.head) for name in ("receptance", "key", "value"))
        bonus, kept = self.w[p + "time_faaaa"][..., None], torch.exp(-torch.exp(self.w[p + "time_decay"]))[..., None]
        state, rows = torch.zeros(self.heads, self.head, self.head, dtype=torch.float64), []
        for r, k, v in zip(receptance, key, value):
            new = k[..., None] * v[:, None, :]
            rows.append(torch.einsum("hk,hkv->hv", r, bonus * new + state))
            state = new + kept * state
        out = torch.stack(rows).view(len(x), -1) / self.divisor
        out = F.group_norm(out, self.heads, self.w[p + "ln_x.weight"], self.w[p + "ln_x.bias"], 1e-5)
        return self.linear(out * F.silu(read("gate")), p + "output")

    def channel_mix(self, x, p):
        key = torch.relu(self.linear(self.shifted(x, p + "time_mix_key"), p + "key")) ** 2
        return torch.sigmoid(self.linear(self.shifted(x, p + "time_mix_receptance"), p + "receptance")) * self.linear(key, p + "value")

    def logits(self, ids):
        x = self.norm(self.w["rwkv.embeddings.weight"][torch.tensor(ids)], "rwkv.blocks.0.pre_ln", self.epsilon)
        for i in range(self.layers):
            p = f"rwkv.blocks.{i}."
            x = x + self.time_mix(self.norm(x, p + "ln1", self.epsilon), p + "attention.")
            x = x + self.channel_mix(self.norm(x, p + "ln2", self.epsilon), p + "feed_forward.")
        # Halving every few layers is for half precision; the last norm has an epsilon of its own.
        return self.linear(self.norm(x, "rwkv.ln_out", 1e-5), "head").numpy()


def is_an_rwkv6(config):
    """For llama.cpp, which has one epsilon for all norms but those of heads, and one for those."""
    return config["head_size_divisor"] == 8 and config["layer_norm_epsilon"] == 1e-5


def as_version_6(config, tensors):
    """The small networks of version 6 say nothing; its shares are those of the token before."""
    h, all = config["hidden_size"], {}
    for name, tensor in tensors.items():
        if ".time_mix_" in name:
            where, _, kind = name.rpartition("time_mix_")
            all[f"{where}time_maa_{kind[0]}"] = 1 - tensor.float()
        elif name.endswith("time_decay"):
            a = name.removesuffix("time_decay")
            all[name] = tensor.float().view(1, 1, h)
            all |= {a + "time_maa_x": torch.zeros(1, 1, h), a + "time_maa_w": torch.zeros(1, 1, h),
                    a + "time_maa_w1": torch.zeros(h, 5 * 32), a + "time_maa_w2": torch.zeros(5, 32, h),
                    a + "time_decay_w1": torch.zeros(h, 64), a + "time_decay_w2": torch.zeros(64, h)}
        else:
            all[name] = tensor.float()
    config = {key: value for key, value in config.items() if key != "auto_map"}
    return dict(config, architectures=["Rwkv6ForCausalLM"], model_type="rwkv6", rescale_every=0), all
