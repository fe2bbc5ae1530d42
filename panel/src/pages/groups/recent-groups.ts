/** A group that was created in this browser. The API has no list of groups. */
export interface RecentGroup {
  id: string;
  created_at: string;
  devices: number;
}

const KEPT = 20;

/** Returns the groups that this account created in this browser, newest first. */
export function recentGroups(email: string): RecentGroup[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(email)) ?? '[]');
    return Array.isArray(kept) ? (kept as RecentGroup[]) : [];
  } catch {
    // No storage, or something else wrote there: nothing is remembered.
    return [];
  }
}

export function rememberGroup(email: string, group: RecentGroup): void {
  try {
    localStorage.setItem(placeOf(email), JSON.stringify([group, ...recentGroups(email)].slice(0, KEPT)));
  } catch {
    // A browser without storage only forgets.
  }
}

function placeOf(email: string): string {
  return `groups of ${email}`;
}
