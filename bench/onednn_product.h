#pragma once
// The ruler: what a core reaches in one large matrix product of oneDNN, in fp32.

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>

namespace minpair {

class OneDnnProduct {
 public:
  static constexpr dnnl::memory::dim kRows = 4096, kDepth = 768, kColumns = 3072;

  OneDnnProduct() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using dnnl::memory;
    memory::desc a({kRows, kDepth}, memory::data_type::f32, memory::format_tag::ab);
    memory::desc b({kDepth, kColumns}, memory::data_type::f32, memory::format_tag::any);
    memory::desc c({kRows, kColumns}, memory::data_type::f32, memory::format_tag::ab);
    dnnl::matmul::primitive_desc description({a, b, c}, engine_);
    product_ = dnnl::matmul(description);
    a_ = memory(a, engine_);
    b_ = memory(description.weights_desc(), engine_);
    c_ = memory(c, engine_);
    for (memory* m : {&a_, &b_})
      std::fill_n(static_cast<float*>(m->get_data_handle()), m->get_desc().get_size() / 4, 0.5f);
  }
  void run() {
    product_.execute(stream_, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, c_}});
    stream_.wait();
  }
  static double operations() { return 2.0 * kRows * kDepth * kColumns; }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::matmul product_;
  dnnl::memory a_, b_, c_;
};

}  // namespace minpair
