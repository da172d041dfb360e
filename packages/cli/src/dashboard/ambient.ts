// What the declarations of this package need of the platform, for programs without `lib.dom` and `@types/node`. Where one of
// those is there it says the same, and more.
declare global {
  interface Request {
    readonly method: string
  }
  interface Response {
    readonly status: number
  }
  interface URLSearchParams {
    get(name: string): string | null
  }
}

export {}
