// What the pages can do beyond being read.
import { addCopyButtons } from './copy.js';
import { followOldAddress } from './old-addresses.js';
import { openPlaces } from './open-place.js';
import { followLanguage } from './samples.js';
import { createSearch } from './search.js';
import { showForms } from './try.js';

followOldAddress();
openPlaces();
followLanguage();
createSearch(document.getElementById('search'));
showForms();
addCopyButtons();
showPlace(document.getElementById('contents'));

/** Scrolls the sidebar to the entry of this page. */
function showPlace(contents) {
  const present = contents.querySelector('[aria-current]');
  if (present !== null) contents.scrollTop = present.offsetTop - contents.clientHeight / 3;
}
