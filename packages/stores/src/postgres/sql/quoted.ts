/** An identifier as it is written in SQL. */
export const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`
