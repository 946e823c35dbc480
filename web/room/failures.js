// How a request to the service fails.

/** The service refused a request. */
export class Refused extends Error {
  /** @param {number} status @param {string} detail what the service said */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** No answer came, or none that means anything for good: the request may be sent again. */
export class Unreachable extends Error {}
