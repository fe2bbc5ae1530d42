/**
 * The API key with which the status page's checks call the REST API. No such key exists. Its refusal shows that the edge, the device
 * service and the database work. The edge logs these refusals at the level debug, as nobody gains anything by trying this key.
 */
export const STATUS_CHECK_KEY = `cp_${'0'.repeat(43)}`;
