/** Who requests the jobs that the operator begins, in place of the id of a key. */
export const OPERATOR = 'operator';
