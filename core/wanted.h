/* wanted.h: which of the generated pointwise rows there are for the element type that each.h is at:
** KILN_WANT_TYPES(...) is its argument where the row has that type, else nothing.  Read anew for
** every type.
*/
#undef KILN_WANT_ALL
#undef KILN_WANT_REAL
#undef KILN_WANT_FLOAT
#undef KILN_WANT_INT
#undef KILN_WANT_WHOLE

#define KILN_WANT_ALL(...) __VA_ARGS__
#if T_BOOL
#define KILN_WANT_REAL(...)
#else
#define KILN_WANT_REAL(...) __VA_ARGS__
#endif
#if T_FLOAT
#define KILN_WANT_FLOAT(...) __VA_ARGS__
#else
#define KILN_WANT_FLOAT(...)
#endif
#if T_INT
#define KILN_WANT_INT(...) __VA_ARGS__
#else
#define KILN_WANT_INT(...)
#endif
#if T_FLOAT
#define KILN_WANT_WHOLE(...)
#else
#define KILN_WANT_WHOLE(...) __VA_ARGS__
#endif
