/* linalg.cu: dense linear algebra of tensors on a device, computed by the CPU backend.
**
** Inputs are copied to the host, LAPACK runs there, outputs are copied back: correct, with results
** and messages of the CPU's, and no faster than it.  The matrices that these ops meet in training
** are small; a program that lives on large ones is better served by keeping them on the CPU.
*/
#include "grid.h"

enum { MOST = 8 }; /* inputs or outputs of one op */

/* A tensor's twin on the host. */
typedef struct twin {
  kiln_tensor tensor;
  kiln_storage storage;
  int64_t bytes;
} twin;

static int32_t make_twin(const kiln_tensor *x, twin *t) {
  t->bytes = x->numel * kiln__bytes_of(x->dtype);
  t->tensor = *x;
  t->storage = *x->storage;
  t->storage.device = 0;
  t->storage.data = (char *)kiln__scratch(0, t->bytes);
  t->tensor.device = 0;
  t->tensor.offset = 0;
  t->tensor.storage = &t->storage;
  return t->storage.data ? KILN_OK : KILN_ENOMEM;
}

static int32_t on_host(const kiln_call *c) {
  const kiln_backend *cpu = kiln__backend(0);
  twin in[MOST], out[MOST];
  kiln_tensor *given[MOST];
  kiln_call call = *c;
  int32_t n_in = 0, n_out = 0;
  kiln_job j = kiln__job("linalg", c->out[0]->device);
  for (; n_in < c->n_in && j.status == KILN_OK; n_in++) {
    const kiln_tensor *x = c->in[n_in];
    in[n_in].storage.data = NULL;
    given[n_in] = x ? &in[n_in].tensor : NULL;
    if (!x)
      continue;
    j.status = make_twin(x, &in[n_in]);
    kiln__job_fetch(&j, in[n_in].storage.data, kiln__data(x), in[n_in].bytes);
  }
  for (; n_out < c->n_out && j.status == KILN_OK; n_out++) {
    j.status = make_twin(c->out[n_out], &out[n_out]);
    call.out[n_out] = &out[n_out].tensor;
  }
  call.in = given;
  if (j.status == KILN_OK) {
    int32_t dtype = (c->in[0] ? c->in[0] : c->out[0])->dtype;
    j.status = cpu->table[c->op][dtype].run(&call);
  }
  for (int32_t i = 0; i < n_out; i++) {
    kiln__job_send(&j, kiln__data(c->out[i]), out[i].storage.data, out[i].bytes);
    kiln__scratch_free(0, out[i].storage.data, out[i].bytes);
  }
  for (int32_t i = 0; i < n_in; i++) {
    if (in[i].storage.data)
      kiln__scratch_free(0, in[i].storage.data, in[i].bytes);
  }
  return kiln__job_end(&j);
}

#define ROW(NAME, dtypes)                                                                          \
  { KILN_OP_##NAME, dtypes, KILN_K_CONTIGUOUS, on_host }
const kiln_entry kiln__cuda_linalg[] = {
    ROW(LU_FACTOR, KILN_D_FLOAT),
    ROW(LU_SOLVE, KILN_D_FLOAT),
    ROW(LU_PERMUTATION, KILN_D(KILN_INT64)),
    ROW(INVERSE, KILN_D_FLOAT),
    ROW(DET, KILN_D_FLOAT),
    ROW(SLOGDET, KILN_D_FLOAT),
    ROW(SOLVE, KILN_D_FLOAT),
    ROW(TRIANGULAR_SOLVE, KILN_D_FLOAT),
    ROW(CHOLESKY, KILN_D_FLOAT),
    ROW(CHOLESKY_INVERSE, KILN_D_FLOAT),
    ROW(PSTRF, KILN_D_FLOAT),
    ROW(QR, KILN_D_FLOAT),
    ROW(GEQRF, KILN_D_FLOAT),
    ROW(REFLECTORS, KILN_D_FLOAT),
    ROW(REFLECTED, KILN_D_FLOAT),
    ROW(SVD, KILN_D_FLOAT),
    ROW(PSEUDOINVERSE, KILN_D_FLOAT),
    ROW(SYMMETRIC_EIG, KILN_D_FLOAT),
    ROW(EIG, KILN_D_FLOAT),
    ROW(LSTSQ, KILN_D_FLOAT),
};
const int32_t kiln__cuda_linalg_n = sizeof kiln__cuda_linalg / sizeof *kiln__cuda_linalg;
