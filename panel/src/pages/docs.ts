/** The link to the documentation, which the service serves beside the panel. It opens in a tab of its own. */
export const DOCS = { label: 'Docs', path: '/docs/' };
