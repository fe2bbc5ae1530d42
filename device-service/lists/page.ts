export { cutPage, type Page, pageOf } from '../../kit/page.js';
