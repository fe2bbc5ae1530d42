export { cutPage, type Page, pageOf, pageOfAll } from '../../kit/page.js';
