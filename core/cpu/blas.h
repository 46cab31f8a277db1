/* blas.h: OpenBLAS and LAPACKE, opened on first use and reached through small tables.
**
** Linking against them would let OpenBLAS initialise before anybody could choose its core type,
** and costs 10 ms at start.  It refuses any OpenBLAS that has threads of its own: only the OpenMP
** build shares kiln's pool.
*/
#ifndef KILN_BLAS_H
#define KILN_BLAS_H
#include <cblas.h>
#include <lapacke.h>

/* The functions used.  A name added here is a member of the table. */
#define KILN_BLAS_FUNCTIONS(X)                                                                     \
  X(openblas_get_parallel)                                                                         \
  X(openblas_get_corename)                                                                         \
  X(openblas_get_config)                                                                           \
  X(cblas_sgemm)                                                                                   \
  X(cblas_dgemm)                                                                                   \
  X(cblas_sgemv)                                                                                   \
  X(cblas_dgemv)                                                                                   \
  X(cblas_sger)                                                                                    \
  X(cblas_dger)                                                                                    \
  X(cblas_sdot)                                                                                    \
  X(cblas_ddot)                                                                                    \
  X(cblas_strsm)                                                                                   \
  X(cblas_dtrsm)

#define KILN_LAPACK_FUNCTIONS(X)                                                                   \
  X(LAPACKE_sgetrf)                                                                                \
  X(LAPACKE_dgetrf)                                                                                \
  X(LAPACKE_sgetri)                                                                                \
  X(LAPACKE_dgetri)                                                                                \
  X(LAPACKE_sgetrs)                                                                                \
  X(LAPACKE_dgetrs)                                                                                \
  X(LAPACKE_spotrf)                                                                                \
  X(LAPACKE_dpotrf)                                                                                \
  X(LAPACKE_spotri)                                                                                \
  X(LAPACKE_dpotri)                                                                                \
  X(LAPACKE_spstrf)                                                                                \
  X(LAPACKE_dpstrf)                                                                                \
  X(LAPACKE_sgeqrf)                                                                                \
  X(LAPACKE_dgeqrf)                                                                                \
  X(LAPACKE_sorgqr)                                                                                \
  X(LAPACKE_dorgqr)                                                                                \
  X(LAPACKE_sormqr)                                                                                \
  X(LAPACKE_dormqr)                                                                                \
  X(LAPACKE_sgesdd)                                                                                \
  X(LAPACKE_dgesdd)                                                                                \
  X(LAPACKE_ssyevd)                                                                                \
  X(LAPACKE_dsyevd)                                                                                \
  X(LAPACKE_sgeev)                                                                                 \
  X(LAPACKE_dgeev)                                                                                 \
  X(LAPACKE_sgels)                                                                                 \
  X(LAPACKE_dgels)                                                                                 \
  X(LAPACKE_set_nancheck)

#define KILN_MEMBER(f) __typeof__(f) *f;
typedef struct kiln_blas {
  KILN_BLAS_FUNCTIONS(KILN_MEMBER)
} kiln_blas;
typedef struct kiln_lapack {
  KILN_LAPACK_FUNCTIONS(KILN_MEMBER)
} kiln_lapack;
#undef KILN_MEMBER

/* NULL after kiln_fail, which names what was tried and the Debian package. */
const kiln_blas *kiln__blas(void);
const kiln_lapack *kiln__lapack(void);

/* For kiln_fact: what was found ("" when it cannot be opened). */
const char *kiln__blas_config(void);
const char *kiln__blas_corename(void);
const char *kiln__blas_threading(void);

#endif
