/** The title of the page that is shown. */
let title: string | undefined;
/** How many phones wait for a person. */
let waiting = 0;

/** Sets the title of the page. The number of phones that wait stays before it, so that it is seen on the tab of a window behind others. */
export function setPageTitle(next: string): void {
  title = next;
  write();
}

/** Sets how many phones wait for a person; 0 shows no number. */
export function setWaitingCount(count: number): void {
  waiting = count;
  write();
}

function write(): void {
  title ??= document.title;
  document.title = waiting === 0 ? title : `(${waiting}) ${title}`;
}
