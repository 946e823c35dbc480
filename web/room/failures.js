// Failures of requests to the service.

/** The service refused a request. */
export class Refused extends Error {
  /** @param {number} status @param {string} detail what the service said */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** No response came, or only a temporary one: the request may be sent again. */
export class Unreachable extends Error {}
