/** An error of the API. Its message states what to do. */
export class ApiFault extends Error {
  readonly status: number;
  readonly kind: string;
  readonly requestId: string | undefined;

  constructor(status: number, kind: string, message: string, requestId: string | undefined) {
    super(message);
    this.name = 'ApiFault';
    this.status = status;
    this.kind = kind;
    this.requestId = requestId;
  }
}
