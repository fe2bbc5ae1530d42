/** A response of the WebDriver protocol, whose body has the error's name. */
export class WebDriverRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
