/** The API level of each Android version that a model has (models.ts). */
const SDK_BY_VERSION: Record<string, number> = {
  '11': 30,
  '12': 31,
  '13': 33,
  '14': 34,
};

export function sdkOf(android: string): number {
  return SDK_BY_VERSION[android] ?? 34;
}
