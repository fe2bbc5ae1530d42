/** Returns a page of the gym's web. */
export function webPage(title: string, body: string): string {
  return `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;
}

const link = (to: string, text: string): string => `<p><a href="${to}">${text}</a></p>`;

const STATIONS = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Ginkgo', 'Hazel', 'Ilex', 'Juniper'];

/** The town's pages, by their name in the folder. */
export const BASE_PAGES: Readonly<Record<string, string>> = {
  'town.html': webPage(
    'Town of Linden',
    [
      '<p>Welcome to Linden.</p>',
      ...[link('museum.html', 'Museum'), link('pool.html', 'Swimming pool'), link('trains.html', 'Trains')],
      ...[
        link('news-1.html', 'News'),
        link('hall.html', 'Town hall'),
        link('old-map.html', 'Map'),
        link('languages.html', 'Languages'),
      ],
    ].join(''),
  ),
  'museum.html': webPage(
    'Museum',
    `<p>Open from 10 to 18.</p>${link('museum-tickets.html', 'Tickets')}${link('town.html', 'Back to the town')}`,
  ),
  'museum-tickets.html': webPage('Tickets of the museum', '<p>Adults 9 €, children 4 €.</p>'),
  'pool.html': webPage(
    'Swimming pool',
    `<p>25 m, four lanes.</p>${link('pool-rules.html', 'Rules')}${link('pool-prices.html', 'Prices')}`,
  ),
  'pool-rules.html': webPage(
    'Rules of the pool',
    Array.from({ length: 40 }, (_, at) => `<p>Rule ${at + 1}: ask at the desk ${at + 3}.</p>`).join(''),
  ),
  'pool-prices.html': webPage('Prices of the pool', '<ul><li>Single: 5 €</li><li>Ten visits: 42 €</li></ul>'),
  'trains.html': webPage('Trains', STATIONS.map((name, at) => link(`station-${at}.html`, `${name} station`)).join('')),
  ...Object.fromEntries(
    STATIONS.map((name, at) => [
      `station-${at}.html`,
      webPage(`${name} station`, `<p>Platform ${((at * 7) % 12) + 1}.</p>${link('trains.html', 'All stations')}`),
    ]),
  ),
  ...Object.fromEntries(
    Array.from({ length: 6 }, (_, at) => [
      `news-${at + 1}.html`,
      webPage(
        `News, page ${at + 1}`,
        `${Array.from({ length: 8 }, (_none, row) => `<p>Item ${at * 8 + row + 1}: nothing new.</p>`).join('')}${at < 5 ? link(`news-${at + 2}.html`, 'Older') : link('news-archive.html', 'Archive of 1987')}`,
      ),
    ]),
  ),
  'news-archive.html': webPage('Archive of 1987', '<p>The clock tower was painted green.</p>'),
  'hall.html': webPage(
    'Town hall',
    [
      '<p>We use 212 cookies to know you better.</p>',
      ...[link('hall-accepted.html', 'Continue to the town hall'), link('hall-settings.html', 'More options')],
    ].join(''),
  ),
  'hall-settings.html': webPage(
    'Options',
    `${link('hall-accepted.html', 'Save and accept all')}${link('hall-refused.html', 'Only what is needed')}`,
  ),
  'hall-accepted.html': webPage('Town hall (all cookies)', link('hall-desk.html', 'Desks')),
  'hall-refused.html': webPage('Town hall (no cookies)', link('hall-desk.html', 'Desks')),
  'hall-desk.html': webPage('Desks', '<p>Passports: room 114. Vehicles: room 9.</p>'),
  'old-map.html': webPage(
    'Map',
    `<p>This map is out of date.</p>${link('map-gone.html', 'New map')}${link('map-2026.html', 'Other maps')}`,
  ),
  'map-2026.html': webPage('Maps of 2026', '<p>North is up.</p>'),
  'languages.html': webPage(
    'Languages',
    `${link('arabic.html', 'العربية')}${link('japanese.html', '日本語')}${link('hebrew.html', 'עברית')}`,
  ),
  'arabic.html': webPage(
    'مرحبا بكم في ليندن',
    `<p>المتحف مفتوح من العاشرة.</p>${link('arabic-visit.html', 'زيارة المتحف')}${link('town.html', 'العودة')}`,
  ),
  'arabic-visit.html': webPage('زيارة المتحف', '<p>التذكرة بتسعة يورو.</p>'),
  'japanese.html': webPage('リンデンへようこそ', link('japanese-train.html', '電車')),
  'japanese-train.html': webPage('電車', '<p>３番線です。</p>'),
  'hebrew.html': webPage('ברוכים הבאים', '<p>העיר לינדן.</p>'),
  'download.html': webPage(
    'Get the brochure',
    [
      ...[
        link('ad-1.html', 'DOWNLOAD NOW'),
        link('ad-2.html', 'Start download'),
        link('brochure.html', 'brochure (text)'),
      ],
      link('ad-3.html', 'Download (recommended)'),
    ].join(''),
  ),
  ...Object.fromEntries(
    [1, 2, 3].map((at) => [`ad-${at}.html`, webPage(`Advertisement ${at}`, '<p>Buy our tea.</p>')]),
  ),
  'brochure.html': webPage('Brochure', '<p>Linden has a river and two bridges.</p>'),
};
