/** The label of phones that runs have made. Phones with it that are off are left over: a sweep deletes them. */
export const RUN_LABEL = { key: 'cloudphone-run', value: 'phone' } as const;

/** The value of the label of phones that are kept for a person. No sweep deletes them. */
export const KEPT_VALUE = 'kept';
