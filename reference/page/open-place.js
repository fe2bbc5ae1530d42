/** Unfolds what the place of the address is in, where the browser does not: it could not be seen else. */
export function openPlaces() {
  addEventListener('hashchange', open);
  open();
}

function open() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (place === null) return;
  const folded = [];
  for (let part = place.parentElement?.closest('details'); part; part = part.parentElement?.closest('details')) {
    if (!part.open) folded.push(part);
  }
  if (folded.length === 0) return;
  for (const part of folded) part.open = true;
  place.scrollIntoView();
}
