// Nothing to include: the emulator's own header comes in front of every kernel.
