/**
 * Countries that the browser is set to, in small letters, the likeliest first: those of its languages. A language without one, such as `en`,
 * has none.
 */
export function browserCountries(languages: readonly string[] = navigator.languages): string[] {
  return languages.flatMap((language) => {
    const { region } = new Intl.Locale(language);
    return region === undefined ? [] : [region.toLowerCase()];
  });
}
