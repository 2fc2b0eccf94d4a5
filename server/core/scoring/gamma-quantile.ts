/** Quantiles of the gamma distribution, which limits for rare events are made of. */

/**
 * The value that a gamma variable of this shape (above 0) and scale 1 stays below with chance `p`, by bisection of the
 * regularised incomplete gamma function (series and continued fraction: Press et al. 2007, Numerical Recipes, section 6.2).
 */
export function gammaQuantile(p: number, shape: number): number {
  if (p <= 0) return 0;
  let high = Math.max(1, shape);
  while (gammaBelow(high, shape) < p) high *= 2;
  let low = 0;
  for (let i = 0; i < 100 && high - low > high * 1e-13; i++) {
    const middle = (low + high) / 2;
    if (gammaBelow(middle, shape) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(X <= x) for a gamma variable of this shape. */
function gammaBelow(x: number, shape: number): number {
  if (x <= 0) return 0;
  const front = Math.exp(shape * Math.log(x) - x - logGamma(shape));
  return x < shape + 1 ? front * series(x, shape) : 1 - front * fraction(x, shape);
}

function series(x: number, shape: number): number {
  let term = 1 / shape;
  let sum = term;
  for (let k = 1; k < 10_000 && term > sum * 1e-16; k++) {
    term *= x / (shape + k);
    sum += term;
  }
  return sum;
}

/** Lentz's evaluation of the continued fraction. */
function fraction(x: number, shape: number): number {
  const tiny = 1e-300;
  let b = x + 1 - shape;
  let c = 1 / tiny;
  let d = 1 / b;
  let value = d;
  for (let k = 1; k < 10_000; k++) {
    const a = k * (shape - k);
    b += 2;
    d = 1 / (a * d + b || tiny);
    c = b + a / c || tiny;
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return value;
}

/** ln of the gamma function for x > 0: lifted above 10 by its recurrence, then Stirling's series (Abramowitz and Stegun, 6.1.41). */
function logGamma(x: number): number {
  let lift = 0;
  for (; x < 10; x++) lift += Math.log(x);
  const square = 1 / (x * x);
  return (x - 0.5) * Math.log(x) - x + 0.9189385332046727 + (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / x - lift;
}
