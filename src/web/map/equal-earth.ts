// The Equal Earth projection (Šavrič, Patterson and Jenny 2018), for places that are known only now. Outlines of countries
// are projected at the build, by the same formula.
const a1 = 1.340264;
const a2 = -0.081106;
const a3 = 0.000893;
const a4 = 0.003796;
const root = Math.sqrt(3) / 2;
/** Half the width of the world. */
const halfWidth = projectRaw(180, 0)[0];

function projectRaw(lon: number, lat: number): [number, number] {
  const radians = Math.PI / 180;
  const angle = Math.asin(root * Math.sin(lat * radians));
  const square = angle * angle;
  const sixth = square ** 3;
  const slope = a1 + 3 * a2 * square + sixth * (7 * a3 + 9 * a4 * square);
  return [(lon * radians * Math.cos(angle)) / (root * slope), angle * (a1 + a2 * square + sixth * (a3 + a4 * square))];
}

/** Where a place is in a picture of the world of this size; degrees. */
export function equalEarth(
  { lon, lat }: { lon: number; lat: number },
  { width, height }: { width: number; height: number },
): [x: number, y: number] {
  const [x, y] = projectRaw(lon, lat);
  const scale = width / 2 / halfWidth;
  return [width / 2 + x * scale, height / 2 - y * scale];
}
