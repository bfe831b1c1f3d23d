#include "train/lstm_layer.h"

#include <torch/csrc/autograd/custom_function.h>

#include "train/bfloat16.h"
#include "train/lstm_cell.h"

namespace minpair::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

Tensor product(const Tensor& a, const Tensor& b) { return torch::mm(a, b).to(torch::kFloat32); }

class Layer : public torch::autograd::Function<Layer> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& x, const Tensor& h0,
                             const Tensor& c0, const Tensor& w_in, const Tensor& w_rec,
                             const Tensor& b_in, const Tensor& b_rec, bool bf16) {
    const int64_t time = x.size(0), batch = x.size(1), width = h0.size(1);
    const Tensor inputs = factor(x.reshape({time * batch, -1}), bf16);
    const Tensor recurrent = factor(w_rec, bf16).t();
    Tensor gates = product(inputs, factor(w_in, bf16).t()).add_(b_in + b_rec);
    gates = gates.view({time, batch, 4 * width});
    // One more than there are words: the state before the first one.
    Tensor h = torch::empty({time + 1, batch, width}), c = torch::empty({time + 1, batch, width});
    h[0].copy_(h0);
    c[0].copy_(c0);
    Tensor factors = bf16 ? torch::empty_like(h, torch::kBFloat16) : h;
    for (int64_t t = 0; t < time; ++t) {
      if (bf16) factors[t].copy_(h[t]);
      Tensor sums = gates[t];
      if (bf16)
        sums.add_(torch::mm(factors[t], recurrent));
      else
        sums.addmm_(factors[t], recurrent);
      lstm_cell(sums.data_ptr<float>(), c[t].data_ptr<float>(), c[t + 1].data_ptr<float>(),
                h[t + 1].data_ptr<float>(), batch, width);
    }
    context->save_for_backward({inputs, factors, gates, c, w_in, w_rec});
    context->saved_data["bf16"] = bf16;
    const Tensor last_h = h[time].clone(), last_c = c[time].clone();
    context->mark_non_differentiable({last_h, last_c});
    return {h.narrow(0, 1, time).clone(), last_h, last_c};
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &inputs = saved[0], &factors = saved[1], &gates = saved[2], &c = saved[3];
    const bool bf16 = context->saved_data["bf16"].toBool();
    const Tensor w_in = factor(saved[4], bf16), recurrent = factor(saved[5], bf16);
    const Tensor dy = gradients[0].contiguous();
    const int64_t time = dy.size(0), batch = dy.size(1), width = dy.size(2);
    Tensor dgates = torch::empty_like(gates), dc = torch::zeros({batch, width});
    Tensor dfactors = bf16 ? torch::empty_like(gates, torch::kBFloat16) : dgates;
    Tensor dh = dy[time - 1].clone();
    for (int64_t t = time; t-- > 0;) {
      lstm_cell_backward(gates[t].data_ptr<float>(), c[t].data_ptr<float>(),
                         c[t + 1].data_ptr<float>(), dh.data_ptr<float>(), dc.data_ptr<float>(),
                         dgates[t].data_ptr<float>(), batch, width);
      if (bf16) dfactors[t].copy_(dgates[t]);
      if (t > 0) dh = product(dfactors[t], recurrent).add_(dy[t - 1]);
    }
    dfactors = dfactors.view({time * batch, 4 * width});
    const Tensor before = factors.narrow(0, 0, time).view({time * batch, width});
    const Tensor bias = dgates.view({time * batch, 4 * width}).sum(0);
    return {product(dfactors, w_in).view({time, batch, -1}),
            Tensor(),
            Tensor(),
            product(dfactors.t(), inputs),
            product(dfactors.t(), before),
            bias,
            bias,
            Tensor()};
  }
};

}  // namespace

LayerPass lstm_layer(const Tensor& x, const Tensor& h, const Tensor& c, const LayerWeights& weights,
                     bool bf16) {
  const tensor_list out = Layer::apply(x, h, c, weights.input, weights.recurrent,
                                       weights.input_bias, weights.recurrent_bias, bf16);
  return {out[0], out[1].detach(), out[2].detach()};
}

}  // namespace minpair::train
