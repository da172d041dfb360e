/** What a server replies: a bulk string, an integer, nil, a list, a status or an error. */
export type Reply = string | number | null | Status | Failure | readonly Reply[]

/** Such as `OK`. */
export class Status {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An error, whose text begins with its code. */
export class Failure {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const ok = new Status('OK')
