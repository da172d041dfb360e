// A process that never rests. See awake.ts.
for (;;);
