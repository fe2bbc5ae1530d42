/** An entry of the gym's calendar. */
export interface GivenEntry {
  id: string;
  title: string;
  day: string;
  time: string;
}

/** The entries of the template. */
export const BASE_ENTRIES: readonly GivenEntry[] = [
  { id: 'e0', title: 'Dentist', day: '2026-03-12', time: '09:00' },
  { id: 'e1', title: 'Choir', day: '2026-03-04', time: '19:00' },
  { id: 'e2', title: 'Lunch with Ines', day: '2026-03-06', time: '12:00' },
  { id: 'e3', title: 'Parents evening', day: '2026-03-18', time: '18:00' },
  { id: 'e4', title: 'Chimney sweep', day: '2026-03-10', time: '08:00' },
  { id: 'e5', title: 'Team meeting', day: '2026-03-03', time: '10:00' },
  { id: 'e6', title: 'Swimming', day: '2026-03-07', time: '16:00' },
];
