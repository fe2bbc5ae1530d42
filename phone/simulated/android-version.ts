/** API level by Android version; the newest known for one that is not listed. */
const SDK_BY_VERSION: Record<string, number> = {
  '7': 24,
  '7.1': 25,
  '8': 26,
  '8.1': 27,
  '9': 28,
  '10': 29,
  '11': 30,
  '12': 31,
  '12L': 32,
  '13': 33,
  '14': 34,
  '15': 35,
  '16': 36,
};

export function sdkOf(android: string): number {
  return SDK_BY_VERSION[android.replace(/\.0(\.0)?$/, '')] ?? 34;
}
