import type { GivenNote } from '../phone/notes.js';

/** The notes of the template, the newest first. */
export const BASE_NOTES: readonly GivenNote[] = [
  { title: 'Shopping', body: 'Oat milk\nRye bread\nApples' },
  { title: 'Gift ideas', body: 'A kite for Ben\nTea for Ines' },
  { title: 'Wi-Fi of the cabin', body: 'Network: Tanne 7\nPassword: granite-otter' },
  { title: 'Books', body: 'The Leopard\nInvisible Cities' },
  { title: 'Bicycle', body: 'Frame number K 20931\nService in May' },
  { title: 'Plants', body: 'Water the ficus on Mondays' },
  { title: 'Measures', body: 'Window: 118 x 142 cm\nDoor: 86 x 201 cm' },
  { title: 'Recipe: flat bread', body: '300 g flour\n180 ml water\nSalt\nTen minutes in a hot pan' },
];
