"""What stands along the strips of each floor, from the low end (west or south) to the high end.

One line of text per strip: `strip: kind width [name]; …`, widths in metres; an indented line continues. The
core (stairs, elevators, toilets) is the same on every floor and stands before or after what a floor has.
"""

GROUND = """
south outer: lab 18 Lab Hopper; workshop 10 Electronics Workshop; office 6 Student Advice; cafe 7 Café;
    foyer 10 Foyer; reception 6 Reception; seminar 11 Seminar Room Liskov; office 6; lab 18 Lab Lovelace
north outer: seminar 12 Seminar Room Backus; office 8; office 8; storage 6; workshop 10 Maker Space;
    passage 4 North Passage; study 12 Study Room; office 8; office 8; workshop 16 Robotics Hall
west outer: office 7; office 6; mail 4.5 Mail Room; passage 4 West Passage; office 7; office 6;
    storage 4.5
east outer: office 9.5 Teaching Office; hall 20 Lecture Hall Turing; meeting 9.5 Meeting Room Gray
south-west inner: office 8; meeting 9 Meeting Room Codd; lockers 8 Lockers
south-east inner: office 8; meeting 9 Meeting Room Hoare; storage 4.75; office 8; lockers 5 Lockers
north-west inner: office 8; kitchen 6.75 Kitchen; office 8; storage 4; office 8
north-east inner: server 12 Server Room; plant 5.25 Plant Room; office 9
spine east: exhibition 9 Exhibition
"""
FIRST = """
south outer: lab 18 Lab Dijkstra; office 8; office 8; seminar 10 Seminar Room Gödel; lounge 8 Balcony;
    office 8; office 8; meeting 6 Meeting Room Perlis; lab 18 Lab Noether
north outer: office 10.5; office 8; office 7.5; seminar 12 Seminar Room Church; kitchen 8 Kitchen; office 8;
    office 8; meeting 9 Meeting Room Naur; storage 4; office 6.5; office 10.5
west outer: office 7; office 7; meeting 8 Meeting Room Milner; office 7; storage 3; office 7
east outer: meeting 9.5 Meeting Room Wing; library 20 Library; study 9.5 Reading Room
south-west inner: office 8; office 8; archive 9 Archive
south-east inner: office 8; phone 3 Phone Booth; meeting 8.75 Meeting Room Karp; office 8; storage 7
north-west inner: study 12 Study Room; office 8; storage 5; office 9.75
north-east inner: office 8; studio 10.25 VR Studio; office 8
spine east: meeting 9 Meeting Room Cook
"""
SECOND = """
south outer: seminar 12 Seminar Room Floyd; lab 18 Lab Knuth; office 7; office 7; lounge 8 Winter Garden;
    office 8; lab 18 Lab Hamilton; storage 3.5; office 10.5 Dean
north outer: office 10.5; office 7; office 7; office 7.5; meeting 8 Meeting Room Allen; kitchen 8 Kitchen;
    office 8; office 8; workshop 10 Systems Workshop; office 7.5; office 10.5
west outer: office 7; office 7; seminar 11 Seminar Room Minsky; office 7; office 7
east outer: office 9.5 Deanery; terrace 20 Roof Terrace; meeting 9.5 Meeting Room Shannon
south-west inner: office 8; office 8; study 9 Study Room
south-east inner: office 8; storage 4; office 8; meeting 9 Meeting Room Rabin; phone 2.75 Phone Booth;
    phone 3 Phone Booth
north-west inner: studio 10 Recording Studio; office 8; storage 4.75; meeting 12 Meeting Room Wirth
north-east inner: office 8; office 8; archive 10.25 Archive
spine east: lounge 9 Chess Corner
"""
CORE_BEFORE = """
south-west inner: stairs 5.5 South-West Stairs; printers 4.25 Printers
spine west: lounge 9 Lounge; toilets 5 Toilets; toilets 5 Toilets; toilets 4 Accessible Toilet
spine east: stairs 6.5 Main Stairs; elevator 3 Main Elevator; printers 4.5 Printers
"""
CORE_AFTER = """
north-east inner: elevator 3 East Elevator; stairs 5.5 North-East Stairs
"""
