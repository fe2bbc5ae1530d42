import { element } from './element.js';

/** How long a button reports that it has copied, ms. */
const REPORTED_MS = 1500;

/** Adds a button to each block of code, where the browser lets pages copy: over https and on this machine. */
export function addCopyButtons() {
  if (navigator.clipboard === undefined) return;
  for (const block of document.querySelectorAll('pre.code')) {
    const button = element('button', { type: 'button', class: 'copy', 'aria-label': 'Copy this code' }, 'Copy');
    const around = element('div', { class: 'copied' });
    block.replaceWith(around);
    around.append(block, button);
    button.addEventListener('click', async () => {
      const copied = await navigator.clipboard.writeText(block.textContent).then(
        () => true,
        () => false,
      );
      button.textContent = copied ? 'Copied' : 'Not allowed';
      setTimeout(() => (button.textContent = 'Copy'), REPORTED_MS);
    });
  }
}
