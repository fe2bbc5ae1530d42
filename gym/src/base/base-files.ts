/** The files of the template in the shared storage, by their path below /sdcard. */
export const BASE_FILES: Readonly<Record<string, string>> = {
  'Documents/contract.txt': 'Contract\nBetween the tenant and the owner.',
  'Documents/letter.txt': 'Dear Sir or Madam,\nplease find the form enclosed.',
  'Documents/recipe.txt': 'Flat bread\n300 g flour',
  'Documents/tax-2024.txt': 'Tax 2024\nNumber 31-772',
  'Documents/tax-2025.txt': 'Tax 2025\nNumber 31-772',
  'Download/song.mp3': 'not a real song',
  'Download/setup.apk': 'not a real package',
  'Download/leaflet.txt': 'Opening hours: 9 to 17',
  'Pictures/harbour.jpg': 'not a real picture',
  'Pictures/garden.jpg': 'not a real picture',
};
