/** A queue entry keeps what the notification of its grant repeats, so that only who can read the tables can make one. */
export const addProofs = (s: string): string => `
alter table ${s}.place add column proof text;
alter table ${s}.shared_place add column proof text;`
