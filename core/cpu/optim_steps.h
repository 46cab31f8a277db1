/* optim_steps.h: the arithmetic of every optimizer, one loop each over n elements of one parameter.
** Read by each.h, and by cuda/optim.cu with a loop of its own around it.
**
** p: parameter, g: gradient, s: the state tensors that are in use, in the row's order, h: the
** row's numbers after `count`.  It refuses to know steps, lists or threads.
*/
#ifndef KILN_STEP
#define KILN_STEP static void
#endif
#define ARGS T *restrict p, const T *restrict g, T *const *s, int64_t n, const kiln_attr *h
#define NUMBER(k) ((T)h[k].f)

KILN_STEP TYPED(sgd)(ARGS) {
  T lr = NUMBER(0), momentum = NUMBER(1), fresh = 1 - NUMBER(2), decay = NUMBER(3);
  bool nesterov = h[4].f != 0, first = h[5].f != 0;
  if (momentum == 0) {
    for (int64_t i = 0; i < n; i++)
      p[i] -= lr * (g[i] + decay * p[i]);
    return;
  }
  T *restrict buffer = s[0];
  T keep = first ? 0 : momentum, add = first ? 1 : fresh;
  for (int64_t i = 0; i < n; i++) {
    T d = g[i] + decay * p[i];
    T b = add * d + (first ? 0 : keep * buffer[i]);
    buffer[i] = b;
    p[i] -= lr * (nesterov ? d + momentum * b : b);
  }
}

KILN_STEP TYPED(adam)(ARGS) {
  T lr = NUMBER(0), beta2 = NUMBER(2), eps = NUMBER(3);
  T coupled = h[5].f != 0 ? 0 : NUMBER(4);
  T shrink = h[5].f != 0 ? 1 - lr * NUMBER(4) : 1;
  T fresh1 = (T)(1 - h[1].f), fresh2 = (T)(1 - h[2].f);
  T rate = (T)(h[0].f / h[7].f), root = (T)(1 / sqrt(h[8].f));
  T *restrict m = s[0], *restrict v = s[1], *restrict most = h[6].f != 0 ? s[2] : NULL;
  for (int64_t i = 0; i < n; i++) {
    T d = g[i] + coupled * p[i];
    T a = m[i] + (d - m[i]) * fresh1, b = beta2 * v[i] + fresh2 * d * d;
    m[i] = a, v[i] = b;
    if (most)
      b = most[i] = b > most[i] ? b : most[i];
    p[i] = shrink * p[i] - rate * a / (MATH(sqrt)(b) * root + eps);
  }
}

KILN_STEP TYPED(adagrad)(ARGS) {
  T lr = NUMBER(0), eps = NUMBER(1), decay = NUMBER(2);
  T *restrict sum = s[0];
  for (int64_t i = 0; i < n; i++) {
    T d = g[i] + decay * p[i];
    sum[i] += d * d;
    p[i] -= lr * d / (MATH(sqrt)(sum[i]) + eps);
  }
}

KILN_STEP TYPED(adadelta)(ARGS) {
  T lr = NUMBER(0), rho = NUMBER(1), eps = NUMBER(2), decay = NUMBER(3), fresh = (T)(1 - h[1].f);
  T *restrict square = s[0], *restrict delta = s[1];
  for (int64_t i = 0; i < n; i++) {
    T d = g[i] + decay * p[i];
    square[i] = rho * square[i] + fresh * d * d;
    T move = MATH(sqrt)(delta[i] + eps) / MATH(sqrt)(square[i] + eps) * d;
    delta[i] = rho * delta[i] + fresh * move * move;
    p[i] -= lr * move;
  }
}

KILN_STEP TYPED(adamax)(ARGS) {
  T beta2 = NUMBER(2), eps = NUMBER(3), decay = NUMBER(4);
  T fresh = (T)(1 - h[1].f), rate = (T)(h[0].f / h[5].f);
  T *restrict m = s[0], *restrict u = s[1];
  for (int64_t i = 0; i < n; i++) {
    T d = g[i] + decay * p[i];
    T size = (d < 0 ? -d : d) + eps, old = beta2 * u[i];
    m[i] += (d - m[i]) * fresh;
    u[i] = size > old ? size : old;
    p[i] -= rate * m[i] / u[i];
  }
}

KILN_STEP TYPED(rmsprop)(ARGS) {
  T lr = NUMBER(0), alpha = NUMBER(1), eps = NUMBER(2), decay = NUMBER(3), momentum = NUMBER(4);
  T fresh = (T)(1 - h[1].f);
  bool centered = h[5].f != 0;
  T *restrict square = s[0], *restrict mean = centered ? s[1] : NULL;
  T *restrict buffer = momentum > 0 ? s[centered ? 2 : 1] : NULL;
  for (int64_t i = 0; i < n; i++) {
    T d = g[i] + decay * p[i];
    T v = square[i] = alpha * square[i] + fresh * d * d;
    if (mean) {
      mean[i] += (d - mean[i]) * fresh;
      v -= mean[i] * mean[i];
    }
    T move = d / (MATH(sqrt)(v) + eps);
    if (buffer)
      move = buffer[i] = momentum * buffer[i] + move;
    p[i] -= lr * move;
  }
}

KILN_STEP TYPED(rprop)(ARGS) {
  T minus = NUMBER(0), plus = NUMBER(1), smallest = NUMBER(2), largest = NUMBER(3);
  T *restrict prev = s[0], *restrict size = s[1];
  for (int64_t i = 0; i < n; i++) {
    T agree = g[i] * prev[i];
    T step = size[i] * (agree > 0 ? plus : agree < 0 ? minus : 1);
    step = step < smallest ? smallest : step > largest ? largest : step;
    T d = agree < 0 ? 0 : g[i];
    size[i] = step;
    prev[i] = d;
    p[i] -= d > 0 ? step : d < 0 ? -step : 0;
  }
}

KILN_STEP TYPED(asgd)(ARGS) {
  T eta = NUMBER(0), mu = NUMBER(2), decay = NUMBER(3), shrink = (T)(1 - h[1].f * h[0].f);
  T *restrict average = s[0];
  for (int64_t i = 0; i < n; i++) {
    p[i] = shrink * p[i] - eta * (g[i] + decay * p[i]);
    average[i] = mu == 1 ? p[i] : average[i] + (p[i] - average[i]) * mu;
  }
}

KILN_STEP TYPED(nadam)(ARGS) {
  T beta2 = NUMBER(2), eps = NUMBER(3);
  T coupled = h[5].f != 0 ? 0 : NUMBER(4);
  T shrink = h[5].f != 0 ? (T)(1 - h[0].f * h[4].f) : 1;
  T fresh1 = (T)(1 - h[1].f), fresh2 = (T)(1 - h[2].f), correction = (T)(1 / h[6].f);
  T of_grad = (T)(h[0].f * h[7].f), of_mean = (T)(h[0].f * h[8].f);
  T *restrict m = s[0], *restrict v = s[1];
  for (int64_t i = 0; i < n; i++) {
    T d = g[i] + coupled * p[i];
    m[i] += (d - m[i]) * fresh1;
    v[i] = beta2 * v[i] + fresh2 * d * d;
    p[i] = shrink * p[i] - (of_grad * d + of_mean * m[i]) / (MATH(sqrt)(v[i] * correction) + eps);
  }
}

KILN_STEP TYPED(radam)(ARGS) {
  T beta2 = NUMBER(2), eps = NUMBER(3), rectification = NUMBER(7);
  T coupled = h[5].f != 0 ? 0 : NUMBER(4);
  T shrink = h[5].f != 0 ? (T)(1 - h[0].f * h[4].f) : 1;
  T fresh1 = (T)(1 - h[1].f), fresh2 = (T)(1 - h[2].f), rate = (T)(h[0].f / h[6].f);
  T *restrict m = s[0], *restrict v = s[1];
  for (int64_t i = 0; i < n; i++) {
    T d = g[i] + coupled * p[i];
    m[i] += (d - m[i]) * fresh1;
    v[i] = beta2 * v[i] + fresh2 * d * d;
    p[i] = shrink * p[i] -
           rate * m[i] * (rectification > 0 ? rectification / (MATH(sqrt)(v[i]) + eps) : 1);
  }
}

KILN_STEP TYPED(lion)(ARGS) {
  T lr = NUMBER(0), beta1 = NUMBER(1), beta2 = NUMBER(2), shrink = (T)(1 - h[0].f * h[3].f);
  T fresh1 = (T)(1 - h[1].f), fresh2 = (T)(1 - h[2].f);
  T *restrict m = s[0];
  for (int64_t i = 0; i < n; i++) {
    T u = beta1 * m[i] + fresh1 * g[i];
    p[i] = shrink * p[i] - (u > 0 ? lr : u < 0 ? -lr : 0);
    m[i] = beta2 * m[i] + fresh2 * g[i];
  }
}

#undef NUMBER
#undef ARGS
