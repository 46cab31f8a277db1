/* plans.c: cuDNN finds a plan for the convolutions of ResNet-18 and for every other kind that kiln
** has, forward and both gradients.  It needs the real library but no device: a sheet of properties
** (its path is the argument) stands for an H200.  Nothing is computed.
*/
#include "../test.h"

#include "../../../cuda/conv.h"

static char sheet[8192];

/* cudnn.c asks for these when it computes, which this program does not. */
void *kiln__cuda_stream(int32_t device) {
  (void)device;
  return NULL;
}
bool kiln__cuda_is_capturing(void) { return false; }

/* What a convolution is made of, the same along every spatial dim. */
typedef struct layer {
  int64_t in, out, size, kernel, stride, padding, dilation, groups;
  int32_t dims;
} layer;

static kiln_conv convolution_of(layer l) {
  kiln_conv g = {.n = 32, .ca = l.in, .cb = l.out, .groups = l.groups};
  for (int i = 0; i < 3; i++) {
    bool used = i >= 3 - l.dims;
    int64_t reach = used ? l.dilation * (l.kernel - 1) + 1 : 1;
    g.in[i] = used ? l.size : 1;
    g.kernel[i] = used ? l.kernel : 1;
    g.stride[i] = used ? l.stride : 1;
    g.padding[i] = used ? l.padding : 0;
    g.dilation[i] = used ? l.dilation : 1;
    g.out[i] = (g.in[i] + 2 * g.padding[i] - reach) / g.stride[i] + 1;
  }
  return g;
}

static bool plans(layer l, int32_t dtype) {
  kiln_conv g = convolution_of(l);
  bool ok = true;
  for (int32_t which = KILN_CONV_A; which <= KILN_CONV_B; which++) {
    int64_t workspace = -1;
    const char *why = "";
    if (kiln__cudnn_can_plan(&g, which, dtype, sheet, &workspace, &why) && workspace >= 0)
      continue;
    printf("  %s, result %d of %" PRId64 " to %" PRId64 " channels, kernel %" PRId64 ": %s\n",
           kiln_dtype_name(dtype), which, l.in, l.out, l.kernel, why);
    ok = false;
  }
  return ok;
}

static const int32_t dtypes[] = {KILN_FLOAT32, KILN_FLOAT64, KILN_FLOAT16, KILN_BFLOAT16};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static void resnet_18(void) {
  static const layer layers[] = {
      {3, 64, 224, 7, 2, 3, 1, 1, 2},   {64, 64, 56, 3, 1, 1, 1, 1, 2},
      {64, 128, 56, 3, 2, 1, 1, 1, 2},  {64, 128, 56, 1, 2, 0, 1, 1, 2},
      {128, 128, 28, 3, 1, 1, 1, 1, 2}, {128, 256, 28, 3, 2, 1, 1, 1, 2},
      {128, 256, 28, 1, 2, 0, 1, 1, 2}, {256, 256, 14, 3, 1, 1, 1, 1, 2},
      {256, 512, 14, 3, 2, 1, 1, 1, 2}, {256, 512, 14, 1, 2, 0, 1, 1, 2},
      {512, 512, 7, 3, 1, 1, 1, 1, 2},
  };
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    for (int d = 0; d < DTYPES; d++)
      CHECK(plans(layers[i], dtypes[d]));
  }
}

static void other_kinds(void) {
  static const layer layers[] = {
      {16, 32, 100, 5, 1, 2, 1, 1, 1}, /* one dim */
      {8, 16, 12, 3, 1, 1, 1, 1, 3},   /* three dims */
      {32, 64, 28, 3, 1, 1, 1, 4, 2},  /* groups */
      {64, 64, 28, 3, 1, 1, 1, 64, 2}, /* depthwise */
      {16, 16, 28, 3, 1, 2, 2, 1, 2},  /* dilated */
  };
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
    CHECK(plans(layers[i], KILN_FLOAT32));
}

static void refuses_what_does_not_fit(void) {
  kiln_conv g = convolution_of((layer){16, 16, 28, 3, 1, 1, 1, 1, 2});
  int64_t workspace;
  const char *why = "";
  g.out[2] += 1;
  CHECK(!kiln__cudnn_can_plan(&g, KILN_CONV_B, KILN_FLOAT32, sheet, &workspace, &why));
  CHECK(strlen(why) > 0);
}

static const test tests[] = {
    {"the convolutions of ResNet-18", resnet_18},
    {"the other kinds of convolution", other_kinds},
    {"a wrong size has no plan, and a reason", refuses_what_does_not_fit},
};

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  size_t n = file ? fread(sheet, 1, sizeof sheet - 1, file) : 0;
  if (file)
    fclose(file);
  if (n == 0) {
    printf("usage: plans SHEET.json\n");
    return 1;
  }
  return test_main(tests, sizeof tests / sizeof *tests);
}
