/** What to do about a URL that cannot be read. */
export const encodingAdvice =
  'special characters in a password must be percent-encoded (% as %25, @ as %40, / as %2F)'
