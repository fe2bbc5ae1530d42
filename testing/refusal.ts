import { expect } from 'chai';
import { ApiError } from '../kit/errors/api-error.js';

/** The error that a request is refused with; fails the test when it is not refused. */
export async function refusalOf(request: Promise<unknown>): Promise<ApiError> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(ApiError);
  return error as ApiError;
}
