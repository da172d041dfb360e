/// <reference lib="esnext.disposable" preserve="true" />

// What the declarations of this package need of the platform, for programs without `lib.dom` and `@types/node`. Where one of
// those is there it says the same, and more.
declare global {
  interface AbortSignal {
    readonly aborted: boolean
  }
  interface URL {
    href: string
  }
}

export {}
