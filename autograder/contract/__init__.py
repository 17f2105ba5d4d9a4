"""The hardware contract: cards, the laws that follow from their data sheets, and the programs that check both."""
